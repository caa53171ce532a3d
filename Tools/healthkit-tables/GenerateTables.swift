import Foundation

/// Makes the tables of the HealthKit module from the data files. Run by scripts/generate in the package's
/// folder.
@main enum GenerateTables {
  static func main() throws {
    let root = URL(filePath: FileManager.default.currentDirectoryPath)
    for path in try GeneratedSources(dataOf: root).write(to: root) { print(path) }
  }
}
