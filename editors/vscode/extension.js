// Starts `quasar lsp` for files of Quasar.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
    const command = workspace.getConfiguration("quasar").get("command");
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
