"""A deep copy of an element of something unknown is no more of a tensor than the element: here it is a list of lists."""

import copy


class Pairs:
    def __init__(self, pairs):
        self.pairs = pairs

    def turned(self, key):
        rows = copy.deepcopy(self.pairs[key])
        for i in range(len(rows)):
            row = rows[i]
            row[0], row[1] = row[1], row[0]
        return rows


print(Pairs({"verbs": [["go", "went"], ["see", "saw"]]}).turned("verbs"))
