import ArgumentParser
import Gateway
import HealthKit
import HealthSystem
import Ingestion

/// Encrypts a store in place.
struct StoreEncryptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypt the store (database file) with a passphrase, a key file or a key of this machine.",
    discussion: .paragraphs(
      """
      No program may have the store open: stop hrgate run first. The command writes an encrypted copy, gives it the name of the store, and then
      overwrites and removes the unencrypted file. The disk needs as much free space as the store's size. If the command is interrupted, no
      data is lost: `hrgate store status` shows whether the store is encrypted, and `hrgate store unlock` removes an unencrypted file that is
      left.

      The keys are in a file beside the store (health.sqlite-keys), encrypted with your passphrase or key file. If you lose that file or the
      passphrase, the data is lost. `hrgate store backup` makes a backup with the keys. The store stays unlocked until the machine restarts,
      until `hrgate store lock`, or for the time of --timeout.

      EXAMPLES
        hrgate store encrypt
        hrgate store encrypt --key-file /media/stick/health.key --timeout 8h
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
    abstract: "Decrypt the store (database file) permanently and delete its keys.",
    discussion: .paragraphs(
      """
      No program may have the store open: stop hrgate run first. If the store is locked, the command needs one of its keys: a passphrase
      (asked for by default), a key file or systemd-creds. If the command is interrupted, no data is lost: run it again.
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
    abstract: "Unlock the encrypted store, so that your programs can read and write it.",
    discussion: .paragraphs(
      """
      The data key is put into your user keyring in the kernel, where all your programs find it. The store stays unlocked until the machine
      restarts, until `hrgate store lock`, or for the time of --timeout. If `hrgate store encrypt` or `hrgate store decrypt` was interrupted,
      this command also removes the file that is left.

      hrgate run records while the store is locked, in an encrypted file beside it. After unlocking, these measurements are moved to the store:
      by hrgate run if it is running, otherwise by this command.

      EXAMPLES
        hrgate store unlock
        hrgate store unlock --timeout 8h
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
      throw try CommandError(
        "measurements that were recorded while the store was locked could not be stored, and are kept in "
          + "\(store.file.plain)-inbox: \(error.localizedDescription)")
    }
  }
}

/// Locks an encrypted store.
struct StoreLockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock the encrypted store, so that no program can read or write it.",
    discussion: .paragraphs(
      """
      The command removes the key from your user keyring in the kernel. Programs that have the store open get an error when they use it next;
      after `hrgate store unlock` they work again. Data that a program has in memory stays there until the program ends. hrgate run continues
      to record.
      """))

  @OptionGroup var store: StoreOptions

  func run() throws {
    let wasUnlocked = try store.named(StoreVault.lock)
    try StandardOutput.write("\(wasUnlocked ? "locked" : "locked already"): \(try store.file.plain)")
  }
}
