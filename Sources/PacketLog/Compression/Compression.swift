internal import Bluetooth

/// How a log can be packed. The system's own programs unpack it, each in a process of its own, through a
/// pipe: what a small file expands to is read as it comes and fills no memory.
public enum Compression: String, Sendable, CaseIterable {
  case gzip
  case bzip2
  case xz
  case zstd
  case lz4
  case zip

  /// Why a packed log is not read.
  public enum Obstacle: Hashable, Sendable {
    /// The program is not installed.
    case noProgram
    /// It came through a pipe, or lies in memory: there is no file to hand to the program.
    case noFile
    /// The program gave up: the packed file is cut or damaged.
    case damaged
    /// An archive without a log, as far as names tell.
    case noLogInside
    /// An archive with several logs; their names.
    case severalInside([String])
  }

  /// - Returns: `nil` for octets that begin nothing packed.
  init?(of bytes: RawSpan) {
    let found = Self.allCases.first { compression in
      let magic = compression.magic
      return magic.indices.allSatisfy { bytes.uint8(at: $0) == magic[$0] }
    }
    guard let found else { return nil }
    self = found
  }

  private var magic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B, 0x08]
    case .bzip2: [0x42, 0x5A, 0x68]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .lz4: [0x04, 0x22, 0x4D, 0x18]
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    }
  }

  /// What unpacks a file from standard input to standard output. A file may ask for any amount of memory;
  /// more than this is refused by the programs that can be asked to.
  var command: [String] {
    switch self {
    case .gzip: ["gzip", "-dc"]
    case .bzip2: ["bzip2", "-dc"]
    case .xz: ["xz", "-dc", "--memlimit-decompress=256MiB"]
    case .zstd: ["zstd", "-dc", "-q", "--memory=256MB"]
    case .lz4: ["lz4", "-dc", "-q"]
    case .zip: ["unzip", "-p"]
    }
  }

  /// Of Debian and its relatives.
  fileprivate var package: String {
    switch self {
    case .xz: "xz-utils"
    case .zip: "unzip"
    case .gzip, .bzip2, .zstd, .lz4: rawValue
    }
  }

  fileprivate var program: String { command[0] }
}

extension Compression.Obstacle {
  func sentence(_ compression: Compression) -> String {
    let packed = "this log is packed with \(compression.rawValue)"
    return switch self {
    case .noProgram:
      "\(packed), and \(compression.program) is not installed: install the package \(compression.package), "
        + "or unpack the log elsewhere"
    case .noFile where compression == .zip:
      "\(packed); unpack it first: only an archive in a file can be looked into"
    case .noFile:
      "\(packed); unpack it on its way: \(compression.command.joined(separator: " ")) | hrgate replay -"
    case .damaged:
      "\(packed), and cut or damaged: \(compression.program) could not unpack all of it"
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
