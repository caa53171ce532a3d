import ArgumentParser
import Foundation
import Glibc
import HealthKit
import HealthSystem

/// The secret that opens an encrypted store.
struct SecretOptions: ParsableArguments {
  @Option(
    name: .customLong("passphrase-file"),
    help: ArgumentHelp(
      "Path of a file that only you can read, with the passphrase in its first line (default: ask on the terminal).",
      valueName: "file"),
    completion: .file())
  var passphraseFile: String?

  @Option(
    name: .customLong("key-file"),
    help: ArgumentHelp(
      "Path of a key file to use instead of a passphrase: random bytes that only you can read. store encrypt and store keys add create the file if it is missing.",
      valueName: "file"),
    completion: .file())
  var keyFile: String?

  @Flag(
    name: .customLong("systemd-creds"),
    help:
      "Use a key of this machine instead of a passphrase: systemd-creds encrypts it with the TPM or with the key in /var/lib/systemd. Requires root."
  )
  var usesMachine = false

  func validate() throws {
    let given = [passphraseFile != nil, keyFile != nil, usesMachine].count(where: \.self)
    guard given <= 1 else {
      throw ValidationError("Give one of --passphrase-file, --key-file and --systemd-creds.")
    }
  }

  /// Whether an option says which secret to use.
  var isGiven: Bool { passphraseFile != nil || keyFile != nil || usesMachine }

  /// Returns the secret. Asks for a passphrase if no option was given.
  /// - Parameter isNew: Whether the secret is for a new key. If so, the user types a passphrase twice, and a
  ///   missing key file is created.
  /// - Throws: ``CommandError``.
  func secret(isNew: Bool) throws -> StoreSecret {
    do {
      if usesMachine { return .systemd }
      if let passphraseFile { return try .passphrase(inFile: passphraseFile) }
      if let keyFile {
        return try isNew ? .keyFile(makingIfMissing: keyFile) : .keyFile(keyFile)
      }
      return try PassphrasePrompt.ask(isNew: isNew)
    } catch let error as HKError {
      throw CommandError(error.localizedDescription)
    }
  }
}

/// Reads a passphrase from the terminal without showing it.
enum PassphrasePrompt {
  /// The character that the terminal returns for Ctrl-C while a passphrase is being read.
  private static let interrupt: UInt8 = 3

  static func ask(isNew: Bool) throws -> StoreSecret {
    var passphrase = try read(isNew ? "New passphrase: " : "Passphrase: ")
    if isNew {
      var again = try read("Repeat the passphrase: ")
      let isSame = again == passphrase
      wipe(&again)
      guard isSame else {
        wipe(&passphrase)
        throw CommandError("the two passphrases differ; nothing was changed")
      }
    }
    return try StoreSecret.passphrase(taking: &passphrase)
  }

  private static func read(_ prompt: String) throws -> [UInt8] {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw CommandError(
        "there is no terminal to ask for the passphrase; give --passphrase-file or --key-file")
    }
    close(terminal)
    // getpass reads from the terminal even if standard input is redirected, and turns off echo while it
    // reads.
    guard let answer = getpass(prompt) else {
      throw CommandError("the passphrase cannot be read from the terminal; give --passphrase-file")
    }
    let count = strlen(answer)
    let bytes = answer.withMemoryRebound(to: UInt8.self, capacity: count) {
      Array(UnsafeBufferPointer(start: $0, count: count))
    }
    memset(answer, 0, count)
    guard !bytes.contains(interrupt) else { throw CommandError("interrupted; nothing was changed") }
    return bytes
  }

  private static func wipe(_ bytes: inout [UInt8]) {
    for index in bytes.indices { bytes[index] = 0 }
  }
}

/// When an unlocked store is locked again.
struct TimeoutOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Lock the store again after this time, such as 30m or 8h (default: when the machine restarts).",
      valueName: "time"),
    transform: SpanArgument.read)
  var timeout: SpanArgument?

  var seconds: UInt32 { UInt32(clamping: timeout?.seconds ?? 0) }
}
