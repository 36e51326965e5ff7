"""placeholder"""


def declare(c):
    pass


def run(g):
    pass
