import Foundation

/// The program `systemd-creds`, which encrypts with a key of the machine: in its TPM, in /var/lib/systemd, or
/// both. Secrets are passed through pipes.
enum SystemdCredential {
  private static let name = "hrgate-store"
  private static let folders = ["/usr/bin", "/bin", "/usr/local/bin"]

  static var program: String? {
    folders.map { $0 + "/systemd-creds" }.first { access($0, X_OK) == 0 }
  }

  static func encrypt(_ secret: SecretBytes) throws -> [UInt8] {
    var input = Data(bytes: secret.start, count: secret.count)
    defer { input.resetBytes(in: 0..<input.count) }
    return Array(try run("encrypt", input))
  }

  static func decrypt(_ credential: [UInt8]) throws -> SecretBytes {
    var bytes = Array(try run("decrypt", Data(credential)))
    return try SecretBytes(taking: &bytes)
  }

  private static func run(_ verb: String, _ input: Data) throws -> Data {
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
      // Input and output fit into the pipe buffers, so this does not block.
      try standardInput.fileHandleForWriting.write(contentsOf: input)
      try standardInput.fileHandleForWriting.close()
    } catch {
      throw StorageError.encryption("systemd-creds cannot be started: \(error.localizedDescription)")
    }
    let output = (try? standardOutput.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0, !output.isEmpty else {
      // systemd-creds has already printed the reason.
      throw StorageError.encryption(
        "systemd-creds \(verb) failed with status \(process.terminationStatus)")
    }
    return output
  }
}
