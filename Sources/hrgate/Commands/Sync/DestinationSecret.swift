import Foundation
import Glibc
import HealthDataSync

/// What a destination is opened with: a password, a token. It comes from a file that nobody else can read, or
/// from the environment; an argument would stand in the list of processes and in the shell's history.
struct DestinationSecret {
  /// A password has no more; what has is another file.
  private static let longest = 64 * 1024

  let destination: String
  /// Its path, where there is one.
  let file: String?

  /// The variable that is read where there is no file: `HRGATE_SYNC_SECRET_LAB`.
  static func variable(for destination: String) -> String {
    "HRGATE_SYNC_SECRET_"
      + destination.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }
      .joined()
  }

  /// Read anew each time, so that whoever changes a password writes it into the file and is done.
  /// - Returns: nil where there is neither a file nor a variable.
  /// - Throws: `ExternalStoreError`: the file is missing, others can read it, or it holds no text.
  func read() throws(ExternalStoreError) -> String? {
    if let file { return try Self.text(inFile: file) }
    let variable = ProcessInfo.processInfo.environment[Self.variable(for: destination)]
    return variable?.isEmpty == true ? nil : variable
  }

  private static func text(inFile path: String) throws(ExternalStoreError) -> String {
    // Without waiting: a pipe without a writer would hold up who opens it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw refusal(
        "the secret file \(path) cannot be read (\(String(cString: strerror(errno)))): write the secret there, for hrgate's user alone"
      )
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal("the secret file \(path) is no file: name one that holds the secret and nothing else")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw refusal("the secret file \(path) is open to other users: chmod 600 \(path)")
    }
    guard [geteuid(), 0].contains(status.st_uid) else {
      throw refusal("the secret file \(path) belongs to another user: make one of your own")
    }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    // What an editor or `echo` puts behind it is no part of it.
    let content = bytes.prefix(max(0, count)).reversed().drop { $0 == 10 || $0 == 13 }.reversed()
    guard count <= longest, !content.isEmpty, let text = String(validating: content, as: UTF8.self),
      !text.contains("\0")
    else { throw refusal("the secret file \(path) holds no secret: write it there as one line of text") }
    return text
  }

  private static func refusal(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}
