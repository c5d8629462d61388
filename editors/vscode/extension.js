// Starts `quasar lsp` for files of Quasar, and `quasar debug --dap` for programs that are debugged.

const { DebugAdapterExecutable, debug, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate(context) {
    const command = workspace.getConfiguration("quasar").get("command");
    const adapter = { createDebugAdapterDescriptor: () => new DebugAdapterExecutable(command, ["debug", "--dap"]) };
    context.subscriptions.push(debug.registerDebugAdapterDescriptorFactory("quasar", adapter));
    const server = { command, args: ["lsp"] };
    const selected = [
        { scheme: "file", language: "quasar" },
        { scheme: "untitled", language: "quasar" },
    ];
    client = new LanguageClient("quasar", "Quasar", server, { documentSelector: selected });
    return client.start();
}

function deactivate() {
    return client && client.stop();
}

module.exports = { activate, deactivate };
