"""Adam, the learning rate's schedule and the averaged weights, over one flat vector.

Parameters and gradients are views of two vectors: a step, a clip or an average is one operation
instead of one for every tensor, which on small models costs more than the arithmetic."""

import torch


class FlatParameters:
    def __init__(self, model):
        parameters = [p for p in model.parameters() if p.requires_grad]
        size = sum(p.numel() for p in parameters)
        device = parameters[0].device
        self.values = torch.empty(size, device=device)
        self.gradients = torch.zeros(size, device=device)
        begin = 0
        for p in parameters:
            end = begin + p.numel()
            self.values[begin:end] = p.data.reshape(-1)
            p.data = self.values[begin:end].view_as(p)
            p.grad = self.gradients[begin:end].view_as(p)
            begin = end


class Optimiser:
    """Adam with clipping, and an exponential moving average (EMA) of the weights."""

    def __init__(self, flat, options):
        self.flat, self.clip, self.ema_decay = flat, options.clip, options.ema
        self.parameter = torch.nn.Parameter(flat.values)
        self.parameter.grad = flat.gradients
        self.adam = torch.optim.Adam([self.parameter], lr=0.0, betas=tuple(options.betas),
                                     eps=options.adam_epsilon, fused=True)
        self.average = flat.values.clone()
        self.steps = 0

    @torch.no_grad()
    def step(self, rate):
        norm = self.flat.gradients.norm()
        if self.clip > 0:
            self.flat.gradients.mul_(torch.clamp(self.clip / (norm + 1e-6), max=1.0))
        self.adam.param_groups[0]["lr"] = rate
        self.adam.step()
        self.steps += 1
        # The first weights are worthless, so the average forgets them sooner.
        decay = min(self.ema_decay, (1 + self.steps) / (10 + self.steps))
        self.average.lerp_(self.flat.values, 1 - decay)
        return norm

    @torch.no_grad()
    def swap_average(self):
        """Exchanges the weights with their average; a second call undoes the first."""
        kept = self.flat.values.clone()
        self.flat.values.copy_(self.average)
        self.average.copy_(kept)

    def state(self):
        return {"values": self.flat.values, "average": self.average,
                "adam": self.adam.state_dict(), "steps": self.steps}

    @torch.no_grad()
    def load(self, state):
        self.flat.values.copy_(state["values"])
        self.average.copy_(state["average"])
        betas, epsilon = (self.adam.param_groups[0][key] for key in ("betas", "eps"))
        self.adam.load_state_dict(state["adam"])
        self.adam.param_groups[0].update(betas=betas, eps=epsilon)  # from the present options
        self.steps = state["steps"]


def learning_rate(step, done, options):
    """Linear warm-up, then linear to floor * peak at done = 1, or inverse square root of the step.

    The last with peak (d_model * warmup)^-0.5 is Vaswani et al. 2017, equation 3.
    step counts from 0; done is the fraction of the training's steps or minutes."""
    warmup = max(1, options.warmup)
    rate = options.rate * min(1.0, (step + 1) / warmup)
    if options.decay == "inverse-sqrt":
        return rate * min(1.0, (warmup / (step + 1)) ** 0.5)
    if options.decay == "linear":
        return rate * (1 - (1 - options.floor) * min(1.0, done))
    return rate
