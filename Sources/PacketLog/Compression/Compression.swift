internal import Bluetooth
internal import Unpacking

/// How a log can be packed. libarchive unpacks it as it is read: what a small file expands to fills no
/// memory.
public enum Compression: String, Sendable, CaseIterable {
  case gzip
  case bzip2
  case xz
  case zstd
  case lz4
  case zip

  /// Why a packed log is not read.
  public enum Obstacle: Hashable, Sendable {
    /// It came through a pipe, or is in memory: there is no file to look into.
    case noFile
    /// The packed file is truncated or damaged.
    case damaged
    /// The log in the archive is protected by a password.
    case encrypted
    /// An archive without a log, as far as names tell.
    case noLogInside
    /// An archive with several logs; their names.
    case severalInside([String])
  }

  /// - Returns: `nil` for bytes that begin nothing packed.
  init?(of bytes: RawSpan) {
    guard let packing = Packing(bytes.extracting(first: Packing.longestMagic).copiedBytes()) else {
      return nil
    }
    self.init(rawValue: packing.rawValue)
  }

  /// The command that unpacks standard input to standard output, for a message.
  fileprivate var command: String { "\(rawValue) -dc" }
}

extension Compression.Obstacle {
  func sentence(_ compression: Compression) -> String {
    let packed = "this log is packed with \(compression.rawValue)"
    return switch self {
    case .noFile where compression == .zip:
      "\(packed); unpack it first: only an archive in a file can be looked into"
    case .noFile:
      "\(packed); unpack it on its way: \(compression.command) | hrgate replay -"
    case .damaged:
      "\(packed), and truncated or damaged: not all of it could be unpacked"
    case .encrypted:
      "\(packed) and protected by a password: unpack it first, and give the log itself"
    case .noLogInside:
      "this archive holds no file whose name is a packet log's; unpack it, and give the log itself"
    case .severalInside(let names):
      "this archive holds several logs (\(names.map(\.printable).joined(separator: ", "))); unpack it, and give them in the order "
        + "in which they were recorded"
    }
  }
}

extension String {
  /// An archive names its files as it likes; what would steer a terminal is replaced.
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
