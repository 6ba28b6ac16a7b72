"""Level a network for eight bits: take what stands out of what its matrices read.

A few channels of a state are ten times as large as the others, and the product
cuts what a matrix reads to eight bits by its least and its largest number alone.
So such channels are divided by a number each, and the matrix's weights for them
multiplied by it: the same sums, less lost (SmoothQuant, Xiao et al. 2022). By how
much is chosen per matrix, by what eight bits make of sums over texts (as AWQ
does, Lin et al. 2023).
"""

import torch
from torch.nn.functional import linear

import eight

OVER = [0.5, 1, 2, 4, 8]  # of the median channel's largest number: what is above stands out
POWER = [0.5, 0.75, 1]  # how far it is taken back


def weights(w):
    """Weights as eight bits have them, a scale per output."""
    q, scale = eight.quantised(w)
    return q * scale


def states(x):
    """What a matrix reads, as eight bits have it, one scale for all."""
    low, high = min(x.min().item(), 0), max(x.max().item(), 0)
    scale = (high - low) / 255
    zero = round(-low / scale)
    return ((x / scale).round() + zero).clamp(0, 255).sub(zero) * scale


def places(bert):
    """Modules whose input can be scaled, with the matrices that read it."""
    for layer in bert.encoder.layer:
        own = layer.attention.self
        yield own, [own.query, own.key, own.value]
        yield layer.intermediate, [layer.intermediate.dense]
        yield layer.output.dense, [layer.output.dense]


def best(seen, w):
    """The divisors that lose least of these sums; seen: what is read, a text each."""
    largest = torch.stack([x.abs().amax(0) for x in seen]).amax(0)
    tried = [torch.ones_like(largest)]
    tried += [(largest / (over * largest.median())).clamp(1) ** power for over in OVER for power in POWER]
    right = [linear(x, w) for x in seen]

    def lost(by):
        small = weights(w * by)
        return sum((linear(states(x / by), small) - y).square().sum().item() for x, y in zip(seen, right))

    return min(tried, key=lost)


@torch.no_grad()
def level(bert, run):
    """Level a network in place. run has it read texts, one at a time."""
    found = list(places(bert))
    seen = [[] for _ in found]
    hooks = [module.register_forward_pre_hook(lambda _, given, to=to: to.append(given[0][0].clone())) for (module, _), to in zip(found, seen)]
    run()
    for hook in hooks:
        hook.remove()
    for (module, matrices), texts in zip(found, seen):
        by = best(texts, torch.cat([m.weight for m in matrices]))
        for m in matrices:
            m.weight.mul_(by)
        module.register_forward_pre_hook(lambda _, given, by=1 / by: (given[0] * by, *given[1:]))
