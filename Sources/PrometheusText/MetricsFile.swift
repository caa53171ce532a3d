internal import Glibc

/// A file of figures, as the textfile collector of Prometheus' node exporter reads it.
public struct MetricsFile: Sendable {
  public let path: String
  private let mode: mode_t

  /// - Parameter isGroups: Whether the file's group may read it; else its owner alone.
  public init(_ path: String, isGroups: Bool) {
    self.path = path
    mode = isGroups ? 0o640 : 0o600
  }

  /// Puts the text in the place of what was there, at once: whoever reads it reads the one or the other.
  /// - Throws: ``MetricsFileFault``.
  public func write(_ text: String) throws(MetricsFileFault) {
    // A name that no collector reads. What a run left that was killed meanwhile is taken away.
    let draft = self.draft
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw fault() }
    // By its own word: the umask may say less, or more.
    let isWritten = fchmod(file, mode) == 0 && Self.write(Array(text.utf8), file)
    let reason = errno
    close(file)
    guard isWritten else {
      unlink(draft)
      throw fault(reason)
    }
    guard rename(draft, path) == 0 else {
      let reason = errno
      unlink(draft)
      throw fault(reason)
    }
  }

  private var draft: String {
    let slash = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    return "\(path[..<slash]).\(path[slash...]).new"
  }

  private static func write(_ bytes: [UInt8], _ file: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.write(file, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private func fault(_ reason: Int32 = errno) -> MetricsFileFault {
    MetricsFileFault(description: "\(path) cannot be written: \(String(cString: strerror(reason)))")
  }
}

/// Why figures cannot be written.
public struct MetricsFileFault: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
}
