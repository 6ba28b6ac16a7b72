"""How the readers make rows."""

from text import one_line


def tool(name, description, server=""):
    return {"name": name, "server": server, "description": one_line(description)}


def row(id, query, pos, neg=(), kind="tool", **more):
    return {"id": id, "kind": kind, "query": query, "pos": list(pos), "neg": list(neg), **more}


def pick(id, query, tools, right):
    """A row on offered tools of which some, by name, are right; None where one of these was not offered."""
    if not right or not set(right) <= set(tools):
        return None
    return row(id, query, [tools[n] for n in dict.fromkeys(right)], [t for n, t in tools.items() if n not in right])
