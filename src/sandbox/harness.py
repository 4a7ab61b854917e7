"""Runs one tool in a sandbox: reads a job from descriptor 3, calls the function, writes the result, and ends.

A job and a result are one line of JSON each. A result begins with the nonce of its job, so that other writers to the
descriptor are not believed. No code of a tool has run in this process before its job comes.
"""

import os
import resource
import select
import sys
import types

FILE = "<string>"
TOOL_FILE = "tool.py"
IDLE_S = 0.2


class Decoding:
    """The settings of a JSON decoder."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def unencodable(value):
    raise TypeError(f"{type(value).__name__} has no JSON")


def fast_json():
    """The C code below the module json, which takes half of a start for regular expressions that no job needs."""
    import _json

    def loads(text):
        return _json.make_scanner(Decoding)(text, 0)[0]

    def dumps(value):
        encode = _json.make_encoder({}, unencodable, _json.encode_basestring_ascii, None, ": ", ", ", False, False, False)
        return "".join(encode(value, 0))

    dumps(loads("[{}]"))
    return loads, dumps


def public_json():
    import json

    return json.loads, lambda value: json.dumps(value, allow_nan=False)


try:
    loads, dumps = fast_json()
except Exception:  # the C code is private, and another version of Python may have it differently
    loads, dumps = public_json()


def main():
    channel = os.dup2(3, 4, inheritable=False)  # processes of the tool don't get it
    os.close(3)
    os.closerange(5, 1 << 20)  # what the server was started with
    write = os.write

    def send(text):
        data = memoryview(text.encode())
        while data:
            data = data[write(channel, data) :]

    send("ready\n")
    if not select.select([channel], [], [], IDLE_S)[0]:
        import json  # for tools that import them: nobody waits for this process yet
        import typing
    job = loads(read_line(channel).decode())
    limit_process(job["limits"])
    os.environ.update(job["env"])
    for directory in job["paths"]:
        sys.path.insert(0, directory)
    result = run(job)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    for descriptor in (1, 2):  # the server has all output once it has the result
        try:
            os.close(descriptor)
        except OSError:
            pass
    send(job["nonce"] + dumps(result) + "\n")
    os._exit(0)


def read_line(channel):
    parts = []
    while True:
        part = os.read(channel, 1 << 20)
        parts.append(part)
        if not part or part.endswith(b"\n"):
            return b"".join(parts)


def limit_process(limits):
    def lower(kind, value):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))

    lower(resource.RLIMIT_AS, limits["address_space"])
    lower(resource.RLIMIT_FSIZE, limits["disk"])
    lower(resource.RLIMIT_NPROC, limits["processes"])
    lower(resource.RLIMIT_NOFILE, 256)
    lower(resource.RLIMIT_CORE, 0)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # where memory runs out, the tool ends and not the server
    except OSError:
        pass


def run(job):
    state = AgentState(job["agent_state"]) if job.get("agent_state") else None
    try:
        value = call(job, state)
        result = {"status": "success", "text": value if isinstance(value, str) else str(value)}
        try:
            dumps(value)
            result["value"] = value
        except (TypeError, ValueError, RecursionError):
            result["value"] = result["text"]
        if state is not None:
            result["memory"] = state.memory.changes()
        return result
    except BaseException as error:
        return failure(error, job["code"])


def call(job, state):
    module = types.ModuleType("tool")
    module.__file__ = TOOL_FILE
    sys.modules["tool"] = module
    define_models(job.get("definitions") or {}, module.__dict__)
    code = compile(job["code"], TOOL_FILE, "exec", dont_inherit=True)
    if job.get("name") is None:
        module.__name__ = "__main__"
        sys.modules["__main__"] = module
        return run_script(job["code"], module)
    exec(code, module.__dict__)
    function = module.__dict__.get(job["name"])
    if not callable(function):
        raise NameError(f"the source defines no function {job['name']}")
    value = function(**arguments(function, job["args"], state))
    if hasattr(value, "__await__"):
        import asyncio

        async def awaited():
            return await value

        value = asyncio.run(awaited())
    return value


def run_script(source, module):
    """Runs a script. The value of its last line, where that is an expression, is its result."""
    import ast

    tree = ast.parse(source, TOOL_FILE)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, TOOL_FILE, "exec", dont_inherit=True), module.__dict__)
    if last is not None:
        return eval(compile(ast.Expression(last.value), TOOL_FILE, "eval", dont_inherit=True), module.__dict__)


def arguments(function, given, state):
    hints = getattr(function, "__annotations__", {})
    if not all(is_plain(hint) for hint in hints.values()):
        import typing

        try:
            hints = typing.get_type_hints(function)
        except Exception:
            pass
    values = {name: argument(name, value, hints.get(name)) for name, value in given.items()}
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    if "agent_state" in names:
        values["agent_state"] = state
    if "agent_id" in names and "agent_id" not in values and state is not None:
        values["agent_id"] = state.id
    return values


def argument(name, value, hint):
    try:
        return coerced(value, hint)
    except Exception as error:
        raise ValueError(f"argument {name}: {error}") from None


def is_plain(hint):
    return isinstance(hint, type) and getattr(hint, "__origin__", None) is None


def coerced(value, hint):
    """A value of JSON as its annotation has it: models, data classes and enumerations included."""
    if is_plain(hint):
        return coerced_plain(value, hint, ())
    import typing

    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return coerced(value, members[0])
    if origin in (typing.Union, getattr(types, "UnionType", None)):
        return coerced_union(value, members)
    return coerced_plain(value, origin, members) if isinstance(origin, type) else value


def coerced_plain(value, kind, members):
    if isinstance(value, str) and kind in (list, dict, tuple, set):
        import json

        value = json.loads(value)
    if isinstance(value, list) and issubclass(kind, (list, tuple, set, frozenset)):
        each = members if kind is tuple and ... not in members else members[:1] * len(value)
        return kind(coerced(one, part) for one, part in zip(value, each)) if members else kind(value)
    if isinstance(value, list) and members:
        return [coerced(one, members[0]) for one in value]
    if isinstance(value, dict):
        return coerced_object(value, kind, members)
    if kind in (int, float) and isinstance(value, (int, float, str)) and not isinstance(value, bool):
        return value if kind is int and isinstance(value, float) and not value.is_integer() else kind(value)
    if kind is bool and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return kind(value) if hasattr(kind, "__members__") else value


def coerced_union(value, members):
    if value is None or type(value) in members:
        return value
    for member in members:
        try:
            made = coerced(value, member)
        except Exception:
            continue
        if made is not value:
            return made
    return value


def coerced_object(value, kind, members):
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if hasattr(kind, "parse_obj"):
        return kind.parse_obj(value)
    if hasattr(kind, "__dataclass_fields__"):
        import typing

        hints = typing.get_type_hints(kind)
        return kind(**{name: coerced(one, hints.get(name)) for name, one in value.items()})
    if len(members) == 2 and hasattr(kind, "keys"):
        return {coerced(name, members[0]): coerced(one, members[1]) for name, one in value.items()}
    return value


def failure(error, source):
    """The error, with the traceback of the tool's own frames."""
    import linecache
    import traceback

    linecache.cache[TOOL_FILE] = (len(source), None, source.splitlines(True), TOOL_FILE)
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == FILE:
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames))
    return {"status": "error", "error": {"type": type(error).__name__, "message": str(error), "traceback": text}}


class Record:
    """A JSON object whose fields are attributes."""

    def __init__(self, fields):
        self.__dict__.update(fields)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __repr__(self):
        return f"{type(self).__name__}({self.__dict__!r})"

    def get(self, name, default=None):
        return self.__dict__.get(name, default)

    def model_dump(self, **_):
        return {name: plain(value) for name, value in self.__dict__.items() if not name.startswith("_")}


def plain(value):
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.model_dump() if isinstance(value, Record) else value


class Model(Record):
    """An argument whose model the source names and doesn't define: the schema of the arguments defines it."""

    def __init__(self, **fields):
        properties = self._schema.get("properties") or {}
        missing = [name for name in self._schema.get("required") or () if name not in fields]
        if missing:
            raise ValueError(f"{type(self).__name__} lacks {', '.join(missing)}")
        for name, schema in properties.items():
            fields[name] = modelled(fields.get(name, schema.get("default")), schema, self._models)
        super().__init__(fields)

    @classmethod
    def model_validate(cls, value):
        return cls(**value)


def define_models(definitions, names):
    for name, schema in definitions.items():
        if "enum" in schema:
            import enum

            names[name] = enum.Enum(name, {str(value): value for value in schema["enum"]})
        else:
            names[name] = type(name, (Model,), {"_schema": schema, "_models": names})


def modelled(value, schema, names):
    """A value of JSON with the models that its schema names."""
    if "$ref" in schema:
        return coerced(value, names.get(schema["$ref"].rsplit("/", 1)[-1]))
    if isinstance(value, list):
        return [modelled(one, schema.get("items") or {}, names) for one in value]
    options = [option for option in schema.get("anyOf") or () if "$ref" in option or "items" in option]
    return value if value is None or not options else modelled(value, options[0], names)


class Block(Record):
    pass


class Memory(Record):
    def __init__(self, blocks):
        super().__init__({"blocks": [Block(block) for block in blocks]})
        self._before = {block["label"]: block["value"] for block in blocks}

    def get_block(self, label):
        for block in self.blocks:
            if block.label == label:
                return block
        raise KeyError(f"Block field {label} does not exist (available sections = {', '.join(self.list_block_labels())})")

    def get_blocks(self):
        return self.blocks

    def list_block_labels(self):
        return [block.label for block in self.blocks]

    def update_block_value(self, label, value):
        if not isinstance(value, str):
            raise ValueError("Provided value must be a string")
        self.get_block(label).value = value

    def changes(self):
        """The new value of each block that has changed, by label."""
        return {label: self.get_block(label).value for label, value in self._before.items() if self._now(label) != value}

    def _now(self, label):
        values = [block.value for block in self.blocks if block.label == label]
        return values[0] if values else self._before[label]


class AgentState(Record):
    def __init__(self, fields):
        super().__init__(fields)
        self.memory = Memory(fields.get("blocks") or [])


main()
