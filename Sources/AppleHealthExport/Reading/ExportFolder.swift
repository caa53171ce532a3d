import Foundation
import Unpacking

/// Finds the export in the directory that the Health app's archive unpacks to, or in its parent directory.
enum ExportFolder {
  private static let maximumDepth = 4

  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return path != "-" && FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// Returns the path of the only export in a directory. Ignores files whose names begin with a dot.
  static func export(in path: String) throws(ImportError) -> String {
    let files = FileManager.default.enumerator(
      at: URL(filePath: path), includingPropertiesForKeys: [.isRegularFileKey], options: [.skipsHiddenFiles])
    var exports: [String] = []
    while let file = files?.nextObject() as? URL {
      if files?.level == maximumDepth { files?.skipDescendants() }
      guard file.pathExtension.lowercased() == "xml",
        (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
      else { continue }
      let path = file.path(percentEncoded: false)
      let head = try ImportError.translating { () throws(ArchiveError) in
        try PolledInput(path: path).peek(DocumentKind.lookAhead)
      }
      if DocumentKind(head) == .export { exports.append(path) }
    }
    guard let export = exports.first else { throw .noExportInside }
    guard exports.count == 1 else { throw .severalInside }
    return export
  }
}
