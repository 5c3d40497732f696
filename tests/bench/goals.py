# What must hold, and whether it does.
import operator
from dataclasses import dataclass
from typing import Callable


@dataclass
class Goal:
    text: str
    sign: str
    bound: float
    value: Callable

    def judge(self, figures):
        """The line for the report: met is None where something of it was not measured."""
        bound = f"{self.sign} {self.bound:g}" if self.sign else "none"
        line = {"text": self.text, "bound": bound, "value": None, "met": None}
        try:
            line["value"] = self.value(figures)
        except KeyError:
            return line
        if self.sign:
            line["met"] = {"<=": operator.le, ">=": operator.ge}[self.sign](line["value"], self.bound)
        return line


def at_most(bound, text, value):
    return Goal(text, "<=", bound, value)


def unbounded(text, value):
    """Only told."""
    return Goal(text, "", 0, value)


def at_least(bound, text, value):
    return Goal(text, ">=", bound, value)
