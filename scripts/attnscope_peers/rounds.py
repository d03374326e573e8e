"""Runs programs in turns on a machine that other work may share, so that compared runs are side by
side."""
import statistics
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One program with one division of its threads."""
    worker: object
    split: str
    scale: float = 1.0  # multiplies seconds: a sweep repeats a run
    seconds: list = field(default_factory=list)
    cpu: list = field(default_factory=list)

    def median(self):
        return statistics.median(self.seconds)


def measure(entries, run, count):
    """Runs `count` rounds after one to warm up; each begins with another entry. `run(entry)`
    returns seconds and processor seconds."""
    for number in range(count + 1):
        first = number % len(entries)
        for entry in entries[first:] + entries[:first]:
            seconds, cpu = run(entry)
            if number > 0:
                entry.seconds.append(seconds * entry.scale)
                entry.cpu.append(cpu * entry.scale)


def best_of(entries, name):
    """Returns a program's entry with the lowest median."""
    return min((entry for entry in entries if entry.worker.name == name), key=Entry.median)


@dataclass
class Ratio:
    middle: float
    least: float
    most: float
    cpu: float

    def __str__(self):
        return f"{self.middle:6.2f} ({self.least:.2f}-{self.most:.2f}) {self.cpu:8.2f}"


def ratio(theirs, ours):
    """Returns how many times as long theirs takes: median, least and most of the rounds; processor
    seconds by their medians."""
    by_round = [a / b for a, b in zip(theirs.seconds, ours.seconds)]
    return Ratio(statistics.median(by_round), min(by_round), max(by_round),
                 statistics.median(theirs.cpu) / max(statistics.median(ours.cpu), 0.01))
