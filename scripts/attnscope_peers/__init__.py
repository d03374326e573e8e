"""Other programs beside attnscope, on the same model and the same sentences (scripts/bench_peers.py).

model.py      models: random Marian models of four sizes, and the sample en-de as transformers' M2M100
programs.py   the programs: each translates, scores and sweeps in a process of its own
rounds.py     runs by turns, and their ratios
cpu.py        the comparison on the CPU
"""
