class Tree(object):
    def __init__(self, word=None, children=None, label=None):
        self.word = word
        self.children = children or []
        self.label = label
        self.state = None

    @property
    def is_leaf(self):
        return not self.children

    def postorder(self):
        for c in self.children:
            yield from c.postorder()
        yield self


def parse(s):
    """'(0 (1 the) (2 movie))' -> Tree"""
    toks = s.replace('(', ' ( ').replace(')', ' ) ').split()
    stack = []
    i = 0
    while i < len(toks):
        if toks[i] == '(':
            stack.append(Tree(label=int(toks[i + 1])))
            i += 2
        elif toks[i] == ')':
            node = stack.pop()
            if not stack:
                return node
            stack[-1].children.append(node)
            i += 1
        else:
            stack[-1].word = toks[i]
            i += 1
