internal import Bluetooth
internal import Unpacking

/// A compression format of packet logs. libarchive decompresses while reading, so a large log does not use
/// more memory.
public enum Compression: String, Sendable, CaseIterable {
  case gzip
  case bzip2
  case xz
  case zstd
  case lz4
  case zip

  /// The reason why a compressed log cannot be read.
  public enum Problem: Hashable, Sendable {
    /// The log comes from a pipe or from memory, but libarchive needs a file.
    case noFile
    /// The compressed file is truncated or damaged.
    case damaged
    /// The log in the archive is protected by a password.
    case encrypted
    /// No file in the archive has the name of a log.
    case noLogInside
    /// The archive contains several logs. Contains their names.
    case severalInside([String])
  }

  /// Recognizes a compression format by the first bytes of a file.
  ///
  /// - Returns: `nil` if the bytes are not compressed.
  init?(of bytes: RawSpan) {
    guard let packing = Packing(bytes.extracting(first: Packing.longestMagic).copiedBytes()) else {
      return nil
    }
    self.init(rawValue: packing.rawValue)
  }

  /// A command that decompresses standard input to standard output, for an error message.
  fileprivate var command: String { "\(rawValue) -dc" }
}

extension Compression.Problem {
  func sentence(_ compression: Compression) -> String {
    let packed = "this log is compressed with \(compression.rawValue)"
    return switch self {
    case .noFile where compression == .zip:
      "\(packed); unpack it first: an archive can only be read from a file"
    case .noFile:
      "\(packed); decompress it: \(compression.command) | hrgate replay -"
    case .damaged:
      "\(packed), and truncated or damaged: only a part could be decompressed; copy or record it again"
    case .encrypted:
      "\(packed) and protected by a password: unpack it first, and replay the log itself"
    case .noLogInside:
      "this archive contains no file with the name of a packet log; unpack it, and replay the log itself"
    case .severalInside(let names):
      "this archive contains several logs (\(names.map(\.printable).joined(separator: ", "))); unpack it, and replay them in the order "
        + "in which they were recorded"
    }
  }
}

extension String {
  /// The name with control characters replaced. Archives are untrusted, and such characters could manipulate
  /// the terminal.
  fileprivate var printable: String {
    let scalars = unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "?" as Unicode.Scalar
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
