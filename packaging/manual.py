"""Writes a man page in mdoc(7) for each command, from the program's help.

usage: manual.py HRGATE FOLDER DATE      (DATE: of the pages, for example 2026-11-21)
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

WIDE = "indent"


def ask(program, *arguments):
    """Returns the program's output, without settings of the user."""
    environment = {"HOME": "/nonexistent", "PATH": os.environ["PATH"]}
    command = [program, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


# MARK: - Text


def escaped(text):
    """Escapes text for roff: a backslash starts an escape, and a leading period starts a request."""
    text = text.replace("\\", "\\e")
    return "\\&" + text if text.startswith((".", "'")) else text


def literal(text):
    """Escapes text that users copy from the page: no typographic hyphens, quotes and accents."""
    table = {"-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
    return "".join(table.get(character, character) for character in escaped(text))


def prose(text):
    """Returns the lines of a text, with a new line for each sentence."""
    words = " ".join(text.split())
    words = re.sub(r"(?<![\w-])--?[a-z][\w-]*", lambda match: match[0].replace("-", "\0"), words)
    words = re.sub(r"`([^`]*)`", lambda match: "\1" + match[1].replace("-", "\0") + "\2", words)
    sentences = re.split(r"(?<=\w[.!?]|\)[.!?]) +", words)
    wrapper = textwrap.TextWrapper(76, break_long_words=False, break_on_hyphens=False)
    lines = [line for each in sentences for line in wrapper.wrap(each)]
    return [escaped(line).replace("\0", "\\-").replace("\1", "\\fB").replace("\2", "\\fR") for line in lines]


def display(lines):
    return [f".Bd -literal -offset {WIDE}", *map(literal, lines), ".Ed"]


def paragraphs(discussion):
    """Returns the paragraphs of a discussion as lists of lines, and the lines of its examples."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", discussion.strip("\n")) if block.strip()]
    examples = [line[2:] for block in blocks if block[0] == "EXAMPLES" for line in block[1:]]
    return [block for block in blocks if block[0] != "EXAMPLES"], examples


def body(block):
    """Returns a paragraph in mdoc. Indented lines and lists of `name: meaning` keep their line breaks."""
    result, text, shown = [], [], []

    def flush():
        result.extend(prose(" ".join(text)) if text else [])
        result.extend(display(shown) if shown else [])
        text.clear()
        shown.clear()

    is_list = len(block) > 1 and all(re.match(r"\w+: ", line) for line in block)
    for line in block:
        if line.startswith("  ") or is_list:
            shown.append(line.removeprefix("  "))
        else:
            if shown:
                flush()
            text.append(line)
    flush()
    return result


# MARK: - Arguments


def options(command):
    """Returns the arguments in order. A flag and its `--no-` form are one argument."""
    result = []
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        names = [(name["kind"], name["name"]) for name in argument.get("names", [])]
        before = result[-1] if result else None
        if before and before["kind"] == argument["kind"] == "flag" and names[0][1] == "no-" + before["long"]:
            before["names"].extend(names)
            before["isOpposed"] = True
            continue
        long = [name for kind, name in names if kind == "long"]
        result.append({**argument, "names": names, "long": long[0] if long else ""})
    return result


def flag(name):
    kind, text = name
    return "Fl " + ("\\-" if kind == "long" else "") + text.replace("-", "\\-")


def value(argument):
    """Returns, for example, `Ar path`. `\\&` keeps a two-letter word from being a macro."""
    word = argument["valueName"]
    dots = " ..." if argument.get("isRepeating") else ""
    return "Ar " + ("\\&" if re.fullmatch(r"[A-Z][a-z]", word) else "") + word + dots


def usage(argument):
    """Returns the argument for the synopsis."""
    if argument["kind"] == "positional":
        text = value(argument)
    else:
        names = argument["names"] if argument.get("isOpposed") else argument["names"][-1:]
        text = " | ".join(map(flag, names))
        if argument["kind"] == "option":
            text += " " + value(argument)
    return ".Op " + text if argument.get("isOptional") else "." + text


def heading(argument):
    if argument["kind"] == "positional":
        return ".It " + value(argument)
    text = " , ".join(map(flag, argument["names"]))
    return ".It " + text + (" " + value(argument) if argument["kind"] == "option" else "")


def meaning(argument):
    text = argument.get("abstract", "")
    lines = prose(text) if text else []
    values = argument.get("allValues") or []
    if values and not all(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in values):
        lines += prose("One of " + ", ".join(values) + ".")
    if argument.get("defaultValue"):
        lines += [f"The default is {literal(argument['defaultValue'])}."]
    return lines


# MARK: - Pages


def summary(command):
    """Returns the abstract in the style of man page names: lowercase, without a period."""
    text = command.get("abstract", "").rstrip(".")
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def page_name(path):
    return "-".join(path)


def table(rows):
    """Returns a tagged list of headings with their lines."""
    return [".Bl -tag -width Ds", *(line for head, lines in rows for line in [head, *lines]), ".El"]


def environment(arguments, settings, is_whole):
    names = {argument["long"] for argument in arguments}
    rows = []
    for setting in settings:
        if is_whole or setting["name"] in names:
            default = [f"The default is {literal(setting['default'])}."] if "default" in setting else []
            rows.append((f".It Ev {setting['variable']}", prose(setting["purpose"]) + default))
    return [".Sh ENVIRONMENT", *table(rows)] if rows else []


FILES = [
    (
        ".It Pa \\(ti/.local/share/hrgate/health.sqlite",
        ["The store, unless", ".Ev XDG_DATA_HOME", "is set to another directory."],
    ),
    (
        ".It Pa \\(ti/.config/hrgate/config , Pa /etc/hrgate/config",
        ["The settings of the user and of the machine; see", ".Xr hrgate-config 1 ."],
    ),
]
EXIT = ["0 on success, 1 on failure, 2 for wrong usage."]


def page(command, path, siblings, settings, version, date):
    """Returns the man page of a command in mdoc."""
    subcommands = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    arguments = options(command)
    blocks, examples = paragraphs(command.get("discussion", ""))
    is_root = len(path) == 1
    lines = [
        '.\\" Generated by packaging/manual.py from the help of hrgate.',
        f".Dd {date}",
        f".Dt {page_name(path).upper()} 1",
        f".Os hrgate {version}",
        ".Sh NAME",
        f".Nm {page_name(path)}",
        f".Nd {escaped(summary(command))}",
        ".Sh SYNOPSIS",
    ]
    name = '.Nm "' + " ".join(path) + '"'
    if subcommands:
        lines += [name, ".Ar command", ".Op Ar argument ..."]
    if not subcommands or is_root:
        lines += [name, *map(usage, arguments)]
    lines.append(".Sh DESCRIPTION")
    if not blocks:
        lines += prose(command.get("abstract", ""))
    for index, block in enumerate(blocks):
        lines += ([".Pp"] if index else []) + body(block)
    if subcommands:
        names = [page_name([*path, each["commandName"]]) for each in subcommands]
        meanings = [prose(each.get("abstract", "")) for each in subcommands]
        rows = [(f".It Xr {name} 1", text) for name, text in zip(names, meanings)]
        lines += [".Pp", "The commands:", *table(rows)]
        if default := command.get("defaultSubcommand"):
            lines += [".Pp", f"The default command is {default}."]
    if arguments and (not subcommands or is_root):
        rows = [(heading(each), meaning(each)) for each in arguments]
        lines += [".Pp", "The arguments and options:", *table(rows)]
    lines += environment(arguments, settings, is_root or path[1] == "config")
    if is_root:
        lines += [".Sh FILES", *table(FILES)]
    if not any("Exit status" in line for block in blocks for line in block):
        lines += [".Sh EXIT STATUS", *EXIT]
    if examples:
        lines += [".Sh EXAMPLES", *display(examples)]
    related = [path[:-1]] if not is_root else []
    related += [[*path[:-1], each] for each in siblings if each != path[-1]] if len(path) > 2 else []
    related += [[*path, each["commandName"]] for each in subcommands]
    seen = sorted({page_name(each) for each in related})
    if seen:
        lines.append(".Sh SEE ALSO")
        lines += [f".Xr {each} 1" + (" ," if each != seen[-1] else "") for each in seen]
    return "\n".join(lines) + "\n"


def pages(command, path, siblings, settings, version, date):
    """Yields the name and text of the page of this command and of its subcommands."""
    path = [*path, command["commandName"]]
    yield page_name(path), page(command, path, siblings, settings, version, date)
    below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    for each in below:
        yield from pages(each, path, [other["commandName"] for other in below], settings, version, date)


def main(program, folder, date):
    dump = json.loads(ask(program, "--experimental-dump-help"))
    settings = [json.loads(line) for line in ask(program, "config", "--json").splitlines()]
    version = ask(program, "--version").strip()
    day = f"{datetime.date.fromisoformat(date):%B %-d, %Y}"
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(dump["command"], [], [], settings, version, day):
        (folder / f"{name}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().rsplit("\n", 1)[-1])
    main(*sys.argv[1:])
