"""The processes of a training, each with its share of every step, and their communication.

torchrun starts them, on one or several machines, or launch() does on this one. Both put into the
environment (RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) how they find each other."""

import datetime
import os
import signal
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing

# The longest that processes wait for what one of them does alone: encoding text, translating the
# validation set. A process that fails is noticed by what started it, not through this.
PATIENCE = datetime.timedelta(days=1)


def launched():
    """True if torchrun, or another launcher with its variables, has started this process."""
    return "WORLD_SIZE" in os.environ and "RANK" in os.environ


def under_torchrun():
    return "TORCHELASTIC_RUN_ID" in os.environ


def restarts():
    """Returns how often torchrun has restarted these processes."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))


def addresses_outlive_processes():
    """True if processes that torchrun restarts may find the addresses of those that ended: it keeps
    one store for all starts, unless a variable says otherwise (pytorch, issue 135712)."""
    return (int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", 0)) > 0
            and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True")


class Workers:
    """This process among the others; alone if nothing has launched it."""

    def __init__(self, device):
        """device: auto, cpu, cuda or cuda:N. With several processes on GPUs, each has its own."""
        self.rank, self.local_rank, self.count = (
            int(os.environ.get(name, default)) for name, default in
            (("RANK", 0), ("LOCAL_RANK", 0), ("WORLD_SIZE", 1)))
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        if device == "cuda" and self.count > 1:
            device = f"cuda:{self.local_rank}"
        self.device = torch.device(device)
        self.waiting = None
        if self.count > 1:
            self.connect()

    def connect(self):
        if self.first() and addresses_outlive_processes():
            print("train.py: a restart may fail without TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in "
                  "torchrun's environment", file=sys.stderr)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
            dist.init_process_group("nccl", device_id=self.device)
        else:
            dist.init_process_group("gloo")
        self.waiting = dist.new_group(backend="gloo", timeout=PATIENCE)

    def first(self):
        return self.rank == 0

    def told(self, make):
        """Returns in all processes what make() returns in the first one. If it raises an error, the
        first process does so, and the others end."""
        if self.count == 1:
            return make()
        answer = [True, None]
        try:
            if self.first():
                answer = [False, None]
                answer = [True, make()]
        finally:
            dist.broadcast_object_list(answer, 0, group=self.waiting)
        if not answer[0]:
            sys.exit(1)
        return answer[1]

    def sums(self, numbers):
        """Adds up a list of numbers over all processes, which get here at about the same time."""
        numbers = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        if self.count > 1:
            dist.all_reduce(numbers)
        return numbers.tolist()

    def gathered(self, items):
        """Returns the lists of all processes, which may take their time: [process 0's, process 1's,
        ...]."""
        if self.count == 1:
            return [items]
        lists = [None] * self.count
        dist.all_gather_object(lists, items, group=self.waiting)
        return lists

    def close(self):
        if self.count > 1:
            dist.destroy_process_group()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run_one(rank, count, port, work, options):
    """Runs one of launch()'s processes."""
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(count),
                      MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    work(options)


def launch(work, options):
    """Runs work(options) in options.processes processes of this machine; signals reach all of them.
    Returns the exit status."""
    count = options.processes
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    context = torch.multiprocessing.spawn(run_one, (count, free_port(), work, options),
                                          nprocs=count, join=False)
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGTERM)
                                              for pid in context.pids()])
    try:
        while not context.join():
            pass
    except torch.multiprocessing.ProcessExitedException as error:
        return error.exit_code      # its error has been reported already
    return 0
