import torch


# inplace-lint: writes(y), returns(new)  # expect: IPL004
def one(x):
    return x + 1


# inplace-lint: returns(knew)  # expect: IPL004
def two(x):
    return x + 1


three = 3  # inplace-lint: no_grad  # expect: IPL004

changed = bool((one(torch.ones(2)) == two(torch.ones(2))).all()) and three == 3
