// Starts inplace-lint's language server for Python files and notebooks, and again when what starts it changes.

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient } from "vscode-languageclient/node";
import { candidates, environment, located } from "./locate";

const SECTION = "inplace-lint";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
/** Starts and stops follow each other: none begins before the last has ended. */
let last: Promise<void> = Promise.resolve();
/** What was explained last, as a document that cannot be edited, and so is never asked to be saved. */
const EXPLAINED = vscode.Uri.from({ scheme: SECTION, path: "Explain this line" });
const explained = { text: "", changed: new vscode.EventEmitter<vscode.Uri>() };

export function activate(context: vscode.ExtensionContext): void {
  output = vscode.window.createOutputChannel("inplace-lint", { log: true });
  context.subscriptions.push(
    output,
    explained.changed,
    vscode.workspace.registerTextDocumentContentProvider(SECTION, {
      onDidChange: explained.changed.event,
      provideTextDocumentContent: () => explained.text,
    }),
    vscode.commands.registerCommand("inplace-lint.restart", restart),
    vscode.commands.registerCommand("inplace-lint.explainLine", explainLine),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.path`)) {
        void restart();
      }
    }),
  );
  void watchInterpreter(context);
  void restart();
}

export function deactivate(): Promise<void> {
  return then(stop);
}

function restart(): Promise<void> {
  return then(async () => {
    await stop();
    await start();
  });
}

function then(what: () => Promise<void>): Promise<void> {
  last = last.then(what).catch((error: unknown) => output.error(String(error)));
  return last;
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function start(): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => folder.uri.fsPath);
  const trusted = vscode.workspace.isTrusted;
  const setting = vscode.workspace.getConfiguration(SECTION).get<string>("path", "");
  const interpreter = trusted ? await selectedInterpreter() : undefined;
  const way = await located(candidates({ setting, interpreter, folders, trusted }), folders[0]);
  if (typeof way === "string") {
    missing(way);
    return;
  }
  output.info(`starting ${way.command} ${way.args.join(" ")} (${way.found})`);
  const options = { cwd: folders[0], env: environment() };
  client = new LanguageClient(
    SECTION,
    "inplace-lint",
    { command: way.command, args: way.args, options },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        { scheme: "vscode-notebook-cell", language: "python" },
      ],
      outputChannel: output,
    },
  );
  await client.start();
}

/** Says that no server was found, and what was tried. */
function missing(tried: string): void {
  output.error(`no inplace-lint with a server was found:\n${tried}`);
  const text =
    "inplace-lint: no server was found. Install it into the selected Python environment: " +
    "pip install 'inplace-lint[lsp]'; or set inplace-lint.path.";
  void vscode.window.showErrorMessage(text, "What was tried", "Settings").then((chosen) => {
    if (chosen === "Settings") {
      void vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.path`);
    } else if (chosen !== undefined) {
      output.show();
    }
  });
}

/** What the analysis knows at the line of the cursor, in a text beside. */
async function explainLine(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const content: unknown = await client.sendRequest(ExecuteCommandRequest.type, {
    command: "inplace-lint.explain",
    arguments: [uri, editor.selection.active.line],
  });
  explained.text = String(content);
  explained.changed.fire(EXPLAINED);
  await vscode.window.showTextDocument(EXPLAINED, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

/** What of the Python extension's interface is used. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function python(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    return await extension?.activate();
  } catch (error) {
    output.warn(`the Python extension does not start: ${String(error)}`);
    return undefined;
  }
}

async function selectedInterpreter(): Promise<string | undefined> {
  const environments = (await python())?.environments;
  const found = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
  return found?.executable.uri?.fsPath;
}

async function watchInterpreter(context: vscode.ExtensionContext): Promise<void> {
  const changed = (await python())?.environments.onDidChangeActiveEnvironmentPath;
  if (changed !== undefined) {
    context.subscriptions.push(changed(() => void restart()));
  }
}
