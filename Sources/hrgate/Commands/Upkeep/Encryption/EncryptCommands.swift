import ArgumentParser
import Gateway
import HealthKit
import HealthSystem
import Ingestion

/// Encrypts a store in place.
struct StoreEncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypt the store, with a passphrase or a key file.",
    discussion: .paragraphs(
      """
      No program may have the store open: stop the gateway first. The encrypted store gets the name of the old one when it is complete, and the
      old one is then overwritten and removed. If the command is interrupted, there is a complete store; `hrgate store unlock` and `hrgate store decrypt`
      overwrite and remove what is left of the old one.
      The disk needs as much free space as the store has.

      The keys are in a file beside the store (health.sqlite-keys). Without it and a secret that opens it, the data is lost: back up the store.
      Afterwards the store is unlocked until the machine restarts, `hrgate store lock`, or the time of --timeout.
      """))

  @OptionGroup var secret: SecretOptions
  @OptionGroup var timeout: TimeoutOption
  @OptionGroup var store: StoreOptions

  func run() throws {
    guard try !store.named(StoreVault.status).isEncrypted else {
      throw try CommandError("\(store.file) is encrypted already")
    }
    let secret = try secret.secret(isNew: true)
    try store.named { try StoreVault.encrypt($0, with: secret, timeout: timeout.seconds) }
    try StandardOutput.write("encrypted: \(try store.file.plain)")
    // Report a problem that remains after the encryption, for example that the unencrypted file still exists.
    if let problem = try store.named(StoreVault.status).problem { throw CommandError(problem.plain) }
  }
}

/// Decrypts a store in place.
struct StoreDecryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Remove the encryption of the store.",
    discussion: .paragraphs(
      """
      No program may have the store open: stop the gateway first. If the store is locked, give the passphrase or key file of one of its keys.
      The keys are removed.
      If the command is interrupted, there is a complete store: run `hrgate store decrypt` again, or `hrgate store unlock`.
      """))

  @OptionGroup var secret: SecretOptions
  @OptionGroup var store: StoreOptions

  func run() throws {
    let isLocked = try store.named(StoreVault.status).isLocked
    let secret = try isLocked || secret.isGiven ? secret.secret(isNew: false) : nil
    try store.named { try StoreVault.decrypt($0, with: secret) }
    try StandardOutput.write("decrypted: \(try store.file.plain)")
  }
}

/// Unlocks an encrypted store.
struct StoreUnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Let your programs open the encrypted store.",
    discussion: .paragraphs(
      """
      The key is put into your keyring in the kernel, where all your programs find it. It stays there until the machine restarts,
      `hrgate store lock`, or the time of --timeout. If `encrypt` or `decrypt` was interrupted, this command removes what it has left.

      What a gateway has recorded while the store was locked is then stored: by the gateway if it runs, otherwise by this command.
      """))

  @OptionGroup var secret: SecretOptions
  @OptionGroup var timeout: TimeoutOption
  @OptionGroup var store: StoreOptions

  func run() async throws {
    guard try store.named(StoreVault.status).isEncrypted else {
      throw try CommandError("\(store.file) is not encrypted; `hrgate store encrypt` encrypts it")
    }
    let secret = try secret.secret(isNew: false)
    try store.named { try StoreVault.unlock($0, with: secret, timeout: timeout.seconds) }
    try StandardOutput.write("unlocked: \(try store.file.plain)")
    if let problem = try store.named(StoreVault.status).problem { StandardError.print(problem.plain) }
    try await merge()
  }

  /// Merges the measurements that a gateway recorded while the store was locked.
  private func merge() async throws {
    do {
      guard let outcome = try await InboxMerge.run(ofStoreAt: store.file) else { return }
      for notice in outcome.notices { StandardError.print(notice) }
      let tally = outcome.tally
      try StandardOutput.write(
        "recorded while it was locked: \(Counted.text(tally.measurements, "measurement")), "
          + "\(tally.storedMeasurements) stored, \(tally.duplicates) duplicates, "
          + "\(tally.rejected.values.reduce(0, +)) rejected")
    } catch let error as HKError {
      throw CommandError("the inbox was not stored; it is kept: \(error.localizedDescription)")
    }
  }
}

/// Locks an encrypted store.
struct StoreLockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Take the key of the encrypted store away from your programs.",
    discussion: .paragraphs(
      """
      Programs that have the store open get an error when they use it next. After `hrgate store unlock` they work again. What a program
      has in memory stays there until it ends.
      """))

  @OptionGroup var store: StoreOptions

  func run() throws {
    let wasUnlocked = try store.named(StoreVault.lock)
    try StandardOutput.write("\(wasUnlocked ? "locked" : "locked already"): \(try store.file.plain)")
  }
}
