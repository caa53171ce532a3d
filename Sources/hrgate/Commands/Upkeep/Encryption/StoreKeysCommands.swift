import ArgumentParser
import HealthDataSync
import HealthSystem

/// Manages the keys of an encrypted store.
struct StoreKeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List, add and remove the keys of the encrypted store.",
    discussion: .paragraphs(
      """
      Each key opens the store by itself: a passphrase, a key file, or the machine by systemd-creds. To change a passphrase, add the new one and
      remove the old one. A key that was removed still opens earlier backups.

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
    commandName: "list", abstract: "List the keys of the store.")

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
    abstract: "Add a key to the unlocked store.",
    discussion: .paragraphs(
      """
      A key file that does not exist is made, with random bytes. systemd-creds needs root, and its keys open the store on this machine only.
      """))

  @Option(help: ArgumentHelp("Its name in the list (default: its kind).", valueName: "name"))
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
    commandName: "remove", abstract: "Remove a key of the store. The last one stays.")

  @Argument(help: "Its name in the list.")
  var name: String
  @OptionGroup var store: StoreOptions

  func run() throws {
    try store.named { try StoreVault.removeKey(named: name, from: $0) }
    try StandardOutput.write("removed: \(name.plain)")
  }
}
