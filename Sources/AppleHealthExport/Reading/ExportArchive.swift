import Glibc
import Unpacking

/// The zip that the Health app makes. The name of the XML in it is in the phone's language; the one other XML
/// is the clinical document, whose name ends in `_cda.xml` in each of them. A Mac that packs it again adds a
/// file below `__MACOSX` for each.
enum ExportArchive {
  private static let members = ["*.xml", "-x", "*_cda.xml", "__MACOSX/*"]

  /// How many octets the XML of the export has.
  /// - Parameter archive: an open file.
  static func size(of archive: Int32) throws(ImportObstacle) -> Int64? {
    let listing = try process(["-Zt", ChildProcess.inputName], archive)
    // `1 file, 5000 bytes uncompressed, 33 bytes compressed:  99.3%`; a word of caution may follow.
    let totals = text(of: listing).split(separator: "\n").last { $0.contains(" bytes uncompressed") }
    let words = totals?.split(separator: " ") ?? []
    guard words.count > 3, let count = Int(words[0]) else { throw .damagedArchive }
    guard count > 0 else { throw .noExportInside }
    guard count == 1 else { throw .severalInside(count) }
    return Int64(words[2])
  }

  static func unpacking(_ archive: Int32) throws(ImportObstacle) -> ChildProcess {
    try process(["-p", ChildProcess.inputName], archive)
  }

  private static func process(
    _ command: [String], _ archive: Int32
  ) throws(ImportObstacle) -> ChildProcess {
    let process: ChildProcess?
    do {
      process = try ChildProcess(["unzip"] + command + members, input: archive)
    } catch {
      throw .file(errno: error.errno)
    }
    guard let process else { throw .noUnzip }
    return process
  }

  /// The end of what a program says: an archive of a million names says much.
  private static func text(of process: ChildProcess) -> String {
    let end = 4096
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: end)
    while true {
      let count = read(process.output, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes = (bytes + piece[..<count]).suffix(end)
    }
    close(process.output)
    return String(decoding: bytes, as: UTF8.self)
  }
}
