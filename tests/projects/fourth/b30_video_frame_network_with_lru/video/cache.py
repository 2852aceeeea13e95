from collections import OrderedDict


class FeatureCache:
    """Small LRU over frame features: neighbouring steps look at the same frames."""

    def __init__(self, size):
        self.size = size
        self.items = OrderedDict()
        self.hits = 0

    def clear(self):
        self.items.clear()

    def get(self, key, make):
        if key in self.items:
            self.hits += 1
            self.items.move_to_end(key)
            return self.items[key]
        value = make()
        self.items[key] = value
        if len(self.items) > self.size:
            self.items.popitem(last=False)
        return value

    def drop(self, key):
        self.items.pop(key, None)
