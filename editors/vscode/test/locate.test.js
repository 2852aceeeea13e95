// Which command starts the server: asked of the built module, with commands that these tests write.

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const test = require("node:test");
const { candidates, expanded, located, problem } = require("../dist/locate.js");

const HERE = fs.mkdtempSync(path.join(os.tmpdir(), "locate-"));

function script(name, text) {
  const file = path.join(HERE, name);
  fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { command: file, args: ["server"], found: name };
}

test("the selected interpreter comes first, then environments of the workspace, then PATH", () => {
  const ways = candidates({ setting: "", interpreter: "/env/bin/python", folders: ["/work"], trusted: true });
  assert.deepEqual(ways.map((way) => way.found), [
    "the selected interpreter",
    ".venv of the workspace",
    "venv of the workspace",
    "PATH",
  ]);
  assert.deepEqual(ways[0].args, ["-m", "inplace_lint", "server"]);
});

test("what is set is all that is tried", () => {
  const ask = (setting) => candidates({ setting, interpreter: "/p", folders: ["/work"], trusted: true });
  assert.deepEqual(ask("${workspaceFolder}/tools/inplace-lint").map((way) => way.command), ["/work/tools/inplace-lint"]);
  assert.deepEqual(ask("/usr/bin/python3.12")[0].args, ["-m", "inplace_lint", "server"]);
  assert.equal(expanded("~/x", []), path.join(os.homedir(), "x"));
});

test("a workspace that is not trusted starts nothing of its own", () => {
  const ways = candidates({ setting: "/work/evil", interpreter: "/work/python", folders: ["/work"], trusted: false });
  assert.deepEqual(ways.map((way) => way.command), ["inplace-lint"]);
});

test("the first that works is taken, and else each is told with its reason", async () => {
  const bare = script("bare", "echo \"inplace-lint: the server needs pygls: pip install 'inplace-lint[lsp]'\" >&2; exit 2");
  const good = script("good", "cat >/dev/null; exit 0");
  const gone = { command: path.join(HERE, "gone"), args: [], found: "gone" };
  assert.equal(await problem(good, HERE), undefined);
  assert.equal(await located([gone, bare, good], HERE), good);
  const told = await located([gone, bare], HERE);
  assert.match(told, /gone.*: there is no such file\n.*bare.*needs pygls: pip install/);
});
