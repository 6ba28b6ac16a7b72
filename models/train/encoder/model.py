"""The network: a sentence encoder of the family of MiniLM, with mean pooling."""

import json
import os

import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import BertConfig, BertModel

# Between the base and what was learned lies what does best on taps and tools
# that were not seen (the idea is WiSE-FT, Wortsman et al. 2021). Chosen on the
# rows that fold 0 leaves out.
SHARE = 0.85


def short():
    """Numbers of sixteen bits, where the processor has what multiplies them: elsewhere they take a hundred times as long as those of 32."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=torch.ops.mkldnn._is_mkldnn_bf16_supported())


def attention():
    """The plain sums: of rows this short they take two thirds of the time that PyTorch's own choice does on a CPU."""
    return sdpa_kernel(SDPBackend.MATH)


class Encoder(nn.Module):
    def __init__(self, folder):
        super().__init__()
        from safetensors.torch import load_file

        with open(os.path.join(folder, "config.json")) as f:
            config = BertConfig(**json.load(f))
        config._attn_implementation = "sdpa"
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        self.bert = BertModel(config, add_pooling_layer=False)
        weights = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(folder, "model.safetensors")).items()}
        missing, _ = self.bert.load_state_dict(weights, strict=False)
        if [k for k in missing if "position_ids" not in k]:
            raise SystemExit(f"{folder}: weights are missing: {missing[:3]}")
        size = config.hidden_size
        # What says that nothing is asked for: a cosine, raised or lowered by how a
        # request is put. Both only shape the vectors: the scorer learns its own.
        self.put = nn.Linear(config.hidden_size, 1)
        nn.init.zeros_(self.put.weight)
        nn.init.zeros_(self.put.bias)
        self.none = nn.Parameter(torch.tensor([0.45, 0.6]))  # of vectors, and of tokens
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def tokens(self, text, most, tail=None):
        """Token ids with [CLS] and [SEP]; of a longer text its beginning and its end, a third of it or so many tokens."""
        ids = self.tokenizer.encode(text).ids
        if len(ids) > most:
            tail = tail or most // 3
            ids = ids[: most - tail] + ids[-tail:]
        return ids

    def states(self, rows, per=48):
        """Last states of token rows, in order: a list of [tokens, size]."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        out = [None] * len(rows)
        for start in range(0, len(order), per):
            part = order[start : start + per]
            width = len(rows[part[-1]])
            ids, mask = torch.zeros(len(part), width, dtype=torch.long), torch.zeros(len(part), width, dtype=torch.long)
            for j, i in enumerate(part):
                ids[j, : len(rows[i])] = torch.tensor(rows[i])
                mask[j, : len(rows[i])] = 1
            with attention():
                hidden = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            for j, i in enumerate(part):
                out[i] = hidden[j, : len(rows[i])]
        return out


def pooled(states):
    return nn.functional.normalize(torch.stack([s.float().mean(0) for s in states]), dim=1)


def save(weights, path):
    """Write weights to a file that is either whole or not there."""
    torch.save(weights, path + ".new")
    os.replace(path + ".new", path)


def between(base, learned, share):
    """Weights on the straight line from one network to the other."""
    return {k: torch.lerp(base[k], v, share) if v.is_floating_point() else v for k, v in learned.items()}
