"""Mutations of the pure core: small faults that a careless edit could make. Some test must notice each of them.

`python -m tests.records.mutants` is not a program: `test_mutants.py` applies them, one at a time, to a copy.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A module of `memgit.records`, a piece of it that occurs once, and what stands there instead."""

    module: str
    old: str
    new: str


MUTANTS = [
    # fold: which operations count
    Mutant("fold", " if op.entity not in gone)", ")"),
    Mutant("fold", "self._made.get(name, op.seq) < op.seq", "self._made.get(name, op.seq) <= op.seq"),
    Mutant("fold", "self._made.get(name, op.seq) < op.seq", "name in self._made"),
    Mutant("fold", "self._seqs.get(digest, op.seq) < op.seq", "self._seqs.get(digest, 0) <= op.seq"),
    Mutant("fold", "self._seqs.get(digest, op.seq) < op.seq", "digest in self._seqs"),
    Mutant("fold", "{op.digest: op for op in ops}.values()", "ops"),
    Mutant("fold", "return (op.seq, op.digest)", "return (op.seq, '')"),
    Mutant("fold", "if _order(op) < _order(self._creator):", "if False:"),
    Mutant("fold", "if op.scope != self._creator.scope:", "if False:"),
    Mutant("fold", "if op.revision is not None and op.revision in self._made:", "if False:"),
    Mutant("fold", 'if op.verb == "revise" and not parents:', 'if op.verb == "revise" and parents != op.parents:'),
    Mutant("fold", 'if op.verb == "undo" and not cancels:', "if False:"),
    Mutant("fold", '(op.verb == "revise" or op.verb in TOMBSTONE_VERBS)', 'op.verb == "revise"'),
    # fold: void, heads, tombstones
    Mutant("fold", "for digest in reversed(cancels):", "for digest in cancels:"),
    Mutant("fold", "        if digest not in void:\n", "        if True:\n"),
    Mutant("fold", "    if revisions[0].void:\n        return ()\n", ""),
    Mutant("fold", "if not revision.void or revision.id in covered:", "if not revision.void:"),
    Mutant("fold", "if not revision.void or revision.id in covered:", "if True:"),
    Mutant("fold", "    return tuple(reversed(heads))", "    return tuple(heads)"),
    Mutant("fold", "if op.verb in TOMBSTONE_VERBS and op.digest not in void:", "if op.verb in TOMBSTONE_VERBS:"),
    Mutant(
        "fold",
        "isinstance(op.payload, AcknowledgePayload) and op.digest not in void",
        "isinstance(op.payload, AcknowledgePayload)",
    ),
    Mutant("fold", "default=0)\n", "default=1)\n"),
    Mutant("fold", "updated_seq=counted[-1].op.seq", "updated_seq=first.seq"),
    Mutant(
        "fold", "problems.sort(key=lambda problem: problem.path)", "problems.sort(key=lambda problem: problem.reason)"
    ),
    # links
    Mutant("links", "[edge for edge in supersedes if not edge.void]", "supersedes"),
    Mutant("links", "bool(lineage.heads) and lineage.tombstone is None", "lineage.tombstone is None"),
    Mutant("links", "bool(lineage.heads) and lineage.tombstone is None", "bool(lineage.heads)"),
    Mutant("links", "    cyclic = _rings(live)\n", "    cyclic = _rings(edges)\n"),
    Mutant("links", "[edge for edge in live if edge.id not in cyclic]", "live"),
    Mutant(
        "links",
        'name in open_cases or (status == "active" and name in doubted)',
        "name in open_cases or name in doubted",
    ),
    Mutant("links", 'name in open_cases or (status == "active" and name in doubted)', "name in open_cases"),
    Mutant("links", 'if case.status == "open":', 'if case.status != "resolved":'),
    Mutant("links", '    if not lineage.heads:\n        return "void"\n', ""),
    Mutant("links", 'frozenset({"supersedes", "contradicts"})', 'frozenset({"supersedes"})'),
    Mutant(
        "links",
        "by_target[edge.payload.target].append(live[edge.id])",
        "by_target[edge.payload.target] = [live[edge.id]]",
    ),
    Mutant("links", "_at_least(2, [", "_at_least(1, ["),
    Mutant("links", "counts = name in now and name not in cyclic", "counts = name in now"),
    Mutant("links", "for number in {ring_of[edge.id] for edge in into if edge.id in ring_of}:", "for number in ():"),
    Mutant("links", "if source == target}", "}"),
    Mutant("links", "{edge.id: [] if edge.id in cyclic else live[edge.id] for edge in edges}", "dict(live)"),
    Mutant("links", "if edge.id not in counted}", "if edge.id in cyclic}"),
    # cases
    Mutant("cases", "all(parent.id in child.parents for", "all(child.parents for"),
    Mutant("cases", "for case in reversed(cases)}.items()", "for case in cases if case.events[1:]}.items()"),
    Mutant("cases", "and not relation.void else", "else"),
    Mutant("cases", '_case_id("fork", sorted(heads))', '_case_id("fork", list(heads))'),
    Mutant(
        "cases", '_case_id("tombstone", tombstone, sorted(unseen))', '_case_id("tombstone", tombstone, list(unseen))'
    ),
    Mutant("cases", 'end is not None and end.kind == "claim" for end in ends', "end is not None for end in ends"),
    Mutant("cases", "any(note.verb in TOMBSTONE_VERBS for note in lineage.ops)", "False"),
    Mutant("cases", "end.presence[found - 1].value if found", "end.presence[0].value if found"),
    Mutant("cases", "all(end.active for end in now)", "all(end.active for end in now[1:])"),
    Mutant("cases", "sequence=max(relation.seq, seq)", "sequence=seq"),
    Mutant(
        "cases",
        '            self._mark(self.current, "staled", order, at)\n',
        '            self._mark(self.current, "resolved", order, at)\n',
    ),
    Mutant("cases", "if len(self.current) > WIDEST_KEPT:", "if len(self.current) >= WIDEST_KEPT:"),
    Mutant(
        "cases",
        "elif self.current is not None and self._open and not opened:",
        "elif self.current is not None and not opened:",
    ),
    Mutant(
        "cases", "        if opened or key is None:\n            self.current = key\n", "        self.current = key\n"
    ),
    Mutant(
        "cases",
        "        if opened or key is None:\n            self.current = key\n",
        "        if opened:\n            self.current = key\n",
    ),
    Mutant("cases", '"reopened" if key in self.events else "opened"', '"opened"'),
    Mutant("cases", "self._replay.stands() and not superseded)", "self._replay.stands())"),
    Mutant("cases", "Presence(heads[-1] if heads else None", "Presence(heads[0] if heads else None"),
    Mutant("cases", "self._unseen.current[:1] != unseen[:1]", "False"),
    Mutant(
        "cases", "self._acknowledged[changed.case] += 1 if effective else -1", "self._acknowledged[changed.case] += 1"
    ),
    Mutant("cases", "return 0 in self._effective and not self._tombstones", "return not self._tombstones"),
    Mutant("cases", "tuple(self._names) if 0 in self._effective else ()", "tuple(self._names)"),
    Mutant("cases", "min(self._tombstones)[1]", "max(self._tombstones)[1]"),
    Mutant("cases", "                pending += self._revisions[place].parents\n", ""),
    Mutant("cases", "        if self._covers[place]:\n            return\n", ""),
    Mutant("cases", "if before and self._covers[parent]:", "if before:"),
    Mutant("cases", "self._show(parent, not effective)", "self._show(parent, effective)"),
    Mutant("cases", "                else:\n                    pending.append(parent)\n", ""),
    Mutant("cases", "effective = not self._against[judged.digest]", "effective = True"),
    # merge
    Mutant("merge", "    if not purged:\n        return root\n", "    return root\n"),
    Mutant("merge", "ours is None or theirs is None or ours == theirs", "ours is None or theirs is None"),
    Mutant("merge", "if not (other.is_tree and entry.is_tree):", "if other.is_tree != entry.is_tree:"),
    Mutant("merge", "except (StoreCorrupt, FormatTooNew):", "except StoreCorrupt:"),
    Mutant("merge", "for entity in record.entities if ids.is_entity_id(entity)", "for entity in record.entities"),
    Mutant("merge", "canonical_json(sorted(set(markers)))", "canonical_json(list(markers))"),
    Mutant("merge", "name, _ in _added(store, *blobs)} | lost", "name, _ in _added(store, *blobs)}"),
    Mutant("merge", "suspects -= _referenced(store, *artifacts)", "suspects -= set()"),
    Mutant(
        "merge",
        "suspects - _referenced(store, artifacts[0], None) if suspects and base is not None else suspects",
        "suspects",
    ),
    Mutant("merge", "if suspects and base is not None", "if base is not None"),
    Mutant("merge", "if tree is None or tree == base:", "if tree is None:"),
    Mutant("merge", "return store.write(kept) if kept else None", "return store.write(kept)"),
    Mutant("merge", "entry.is_tree else name.partition", "not entry.is_tree else name.partition"),
    Mutant("merge", 'ids.kind_of(name) == "artifact"', 'ids.kind_of(name) == "claim"'),
]
