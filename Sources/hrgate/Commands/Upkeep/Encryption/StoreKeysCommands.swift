import ArgumentParser
import HealthDataSync
import HealthSystem

/// Manages the keys of an encrypted store.
struct StoreKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List, add and remove the keys that unlock the encrypted store.",
    discussion: .paragraphs(
      """
      A key is a passphrase, a key file, or a key of this machine (systemd-creds). Each key alone unlocks the store. To change a passphrase, add
      the new one and remove the old one. A key that was removed still unlocks earlier backups.

      EXAMPLES
        hrgate store keys list
        hrgate store keys add --key-file /media/stick/health.key
        hrgate store keys add --name new-passphrase
        hrgate store keys remove passphrase
      """),
    subcommands: [StoreKeysListCommand.self, StoreKeysAddCommand.self, StoreKeysRemoveCommand.self])
}

struct StoreKeysListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the keys that unlock the encrypted store: name, kind and creation time.")

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each key.")
  var json = false

  func run() throws {
    let status = try store.named(StoreVault.status)
    guard status.isEncrypted else {
      throw try CommandError("\(store.file) is not encrypted; `hrgate store encrypt` encrypts it")
    }
    if status.slots.isEmpty, let problem = status.problem { throw CommandError(problem) }
    for slot in status.slots.map(StoreStatusLine.Slot.init) {
      try StandardOutput.write(json ? JSONLine.text(slot) : slot.text)
    }
  }
}

struct StoreKeysAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a passphrase, a key file or a key of this machine that unlocks the encrypted store.",
    discussion: .paragraphs(
      """
      Unlock the store first. A key file that does not exist is created with random bytes. --systemd-creds requires root; such a key unlocks the
      store only on this machine.

      EXAMPLES
        hrgate store keys add --name new-passphrase
        hrgate store keys add --key-file /media/stick/health.key
      """))

  @Option(
    help: ArgumentHelp(
      "Name of the new key in hrgate store keys list (default: passphrase, key-file or systemd-creds, with a number if that name is taken).",
      valueName: "name"))
  var name: String?
  @OptionGroup var secret: SecretOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let status = try store.named(StoreVault.status)
    guard status.isEncrypted else {
      throw try CommandError("\(store.file) is not encrypted; `hrgate store encrypt` encrypts it")
    }
    guard !status.isLocked else {
      throw try CommandError("\(store.file) is locked; unlock it with `hrgate store unlock`")
    }
    let secret = try secret.secret(isNew: true)
    let name = try store.named { try StoreVault.addKey(secret, named: self.name, to: $0) }
    try StandardOutput.write("added: \(name.plain)")
  }
}

struct StoreKeysRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a key of the encrypted store. The last key cannot be removed.")

  @Argument(help: "Name of the key, as hrgate store keys list shows it.")
  var name: String
  @OptionGroup var store: StoreOptions

  func run() throws {
    try store.named { try StoreVault.removeKey(named: name, from: $0) }
    try StandardOutput.write("removed: \(name.plain)")
  }
}
