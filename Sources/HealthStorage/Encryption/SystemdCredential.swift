import Foundation
import Glibc

/// The program `systemd-creds`, which encrypts with a key of the machine: in its TPM, in /var/lib/systemd, or
/// both. Secrets are passed through pipes.
enum SystemdCredential {
  private static let name = "hrgate-store"
  private static let folders = ["/usr/bin", "/bin", "/usr/local/bin"]
  /// Maximum size of the output, in bytes. An encrypted secret of 32 bytes has fewer than 2,000, even with a
  /// TPM.
  private static let mostBytes = 16_384

  static var program: String? {
    folders.map { $0 + "/systemd-creds" }.first { access($0, X_OK) == 0 }
  }

  static func encrypt(_ secret: SecretBytes) throws -> [UInt8] {
    try secret.withBytes { try run("encrypt", $0) }.withBytes { Array($0) }
  }

  static func decrypt(_ credential: [UInt8]) throws -> SecretBytes {
    try credential.withUnsafeBytes { try run("decrypt", $0) }
  }

  /// Runs `systemd-creds` and returns its output. The input is secret when encrypting, and the output when
  /// decrypting, so neither is copied into a `Data` or an array.
  private static func run(_ verb: String, _ input: UnsafeRawBufferPointer) throws -> SecretBytes {
    guard let program else {
      throw StorageError.encryption("systemd-creds is not installed; use a passphrase or a key file")
    }
    let process = Process()
    let (standardInput, standardOutput) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = [verb, "--name=\(name)", "-", "-"]
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    do {
      try process.run()
    } catch {
      throw StorageError.encryption("systemd-creds cannot be started: \(error.localizedDescription)")
    }
    // Ignore write errors: if systemd-creds does not read its input, its exit status is reported below.
    write(input, to: standardInput.fileHandleForWriting.fileDescriptor)
    try? standardInput.fileHandleForWriting.close()
    let output = try read(standardOutput.fileHandleForReading.fileDescriptor)
    // Close the pipe, so that systemd-creds ends even if it has more output.
    try? standardOutput.fileHandleForReading.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0, output.count > 0 else {
      // systemd-creds has already printed the reason to standard error.
      throw StorageError.encryption(
        "systemd-creds \(verb) failed with status \(process.terminationStatus); its own message says "
          + "why")
    }
    return output
  }

  private static func write(_ input: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = input[...]
    while let address = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
      let count = Glibc.write(descriptor, address, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads until the end of the output, or until ``mostBytes`` bytes were read.
  private static func read(_ descriptor: Int32) throws -> SecretBytes {
    let buffer = try SecretBytes(count: mostBytes)
    var count = 0
    while count < mostBytes {
      let length = Glibc.read(descriptor, buffer.start + count, mostBytes - count)
      if length < 0, errno == EINTR { continue }
      guard length > 0 else { break }
      count += length
    }
    return try buffer.withBytes { bytes in
      try SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    }
  }
}
