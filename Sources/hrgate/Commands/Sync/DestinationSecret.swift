import Foundation
import Glibc
import HealthDataSync

/// A destination's password or token.
///
/// The secret comes from a file that only its owner can read, or from the environment. An argument would be
/// visible in the process list and in the shell history.
struct DestinationSecret {
  /// Maximum size of a secret file in bytes. A larger file is not a password or token.
  private static let longest = 64 * 1024

  let destination: String
  /// Path of the secret file, if there is one.
  let file: String?

  /// Returns the environment variable to read if there is no file, such as `HRGATE_SYNC_SECRET_LAB`.
  static func variable(for destination: String) -> String {
    "HRGATE_SYNC_SECRET_"
      + destination.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }
      .joined()
  }

  /// Reads the secret. It is read for each connection, so a changed password takes effect without a restart.
  ///
  /// - Returns: The secret, or `nil` if there is neither a file nor a variable.
  /// - Throws: `ExternalStoreError` if the file is missing, is readable by other users, or does not contain
  ///   text.
  func read() throws(ExternalStoreError) -> String? {
    if let file { return try Self.text(inFile: file) }
    let variable = ProcessInfo.processInfo.environment[Self.variable(for: destination)]
    return variable?.isEmpty == true ? nil : variable
  }

  private static func text(inFile path: String) throws(ExternalStoreError) -> String {
    // `O_NONBLOCK`: opening a pipe without a writer would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw refusal(
        "the secret file \(path) cannot be read (\(String(cString: strerror(errno)))); create it, readable only by hrgate's user"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal(
        "the secret file \(path) is not a regular file; name a file that contains only the secret")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw refusal("the secret file \(path) is accessible to other users; run: chmod 600 \(path)")
    }
    guard [geteuid(), 0].contains(status.st_uid) else {
      throw refusal("the secret file \(path) belongs to another user; use a file of your own")
    }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    // Editors and `echo` append line breaks that are not part of the secret.
    let content = bytes.prefix(max(0, count)).reversed().drop { $0 == 10 || $0 == 13 }.reversed()
    guard count <= longest, !content.isEmpty, let text = String(validating: content, as: UTF8.self),
      !text.contains("\0")
    else { throw refusal("the secret file \(path) contains no secret; write the secret as one line of text") }
    return text
  }

  private static func refusal(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}
