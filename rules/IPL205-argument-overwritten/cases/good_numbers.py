"""What is added to may be a number: nothing tells that it is a tensor."""


def total(value, step):
    value += step
    return value


assert total(1, 2) == 3
