// Finds the command that starts the server. Nothing of VS Code is needed here, so that tests can ask it.

import { execFile } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";

/** A way to start the server, and where it was found, in words. */
export interface Candidate {
  command: string;
  args: string[];
  found: string;
}

/** What may name a way to start the server. In a workspace that is not trusted, nothing of it is started. */
export interface Places {
  setting: string;
  interpreter: string | undefined;
  folders: string[];
  trusted: boolean;
}

const WINDOWS = process.platform === "win32";

/** The ways to start the server, the best first. */
export function candidates(places: Places): Candidate[] {
  const ways: Candidate[] = [];
  if (places.trusted) {
    if (places.setting.trim() !== "") {
      const command = expanded(places.setting.trim(), places.folders);
      return [{ command, args: called(command), found: "the setting inplace-lint.path" }];
    }
    if (places.interpreter !== undefined) {
      const command = places.interpreter;
      ways.push({ command, args: ["-m", "inplace_lint", "server"], found: "the selected interpreter" });
    }
    for (const folder of places.folders) {
      for (const name of [".venv", "venv"]) {
        const inside = WINDOWS ? ["Scripts", "inplace-lint.exe"] : ["bin", "inplace-lint"];
        ways.push({ command: path.join(folder, name, ...inside), args: ["server"], found: `${name} of the workspace` });
      }
    }
  }
  ways.push({ command: "inplace-lint", args: ["server"], found: "PATH" });
  return ways;
}

/** A path of the settings with `~` and `${workspaceFolder}` put in. */
export function expanded(setting: string, folders: string[]): string {
  const home = setting.startsWith("~/") ? path.join(os.homedir(), setting.slice(2)) : setting;
  return home.replaceAll("${workspaceFolder}", folders[0] ?? "");
}

/** What follows a command that starts the server: an interpreter is told which module to run. */
function called(command: string): string[] {
  const python = /^(python|pypy)[\d.]*(\.exe)?$/i.test(path.basename(command));
  return python ? ["-m", "inplace_lint", "server"] : ["server"];
}

/** The environment of the server: Python does not look for modules in the folder that is open. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONSAFEPATH: "1", PYTHONUTF8: "1" };
}

/** Why a way does not work, in a sentence; nothing if it does. Started without input, the server ends at once. */
export function problem(way: Candidate, cwd: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const started = execFile(way.command, way.args, { cwd, env: environment(), timeout: 20_000 }, (error, _, told) => {
      if (error === null) {
        resolve(undefined);
      } else if (error.code === "ENOENT") {
        resolve("there is no such file");
      } else {
        const lines = told.trim().split("\n");
        resolve(lines[lines.length - 1] || error.message);
      }
    });
    started.stdin?.on("error", () => undefined);
    started.stdin?.end();
  });
}

/** The first way that works; or what was tried and why it does not work, a line each. */
export async function located(ways: Candidate[], cwd: string | undefined): Promise<Candidate | string> {
  const tried: string[] = [];
  for (const way of ways) {
    const why = await problem(way, cwd);
    if (why === undefined) {
      return way;
    }
    tried.push(`${way.found} (${way.command}): ${why}`);
  }
  return tried.join("\n");
}
