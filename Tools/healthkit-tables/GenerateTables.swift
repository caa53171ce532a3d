import Foundation

/// Generates the tables of the HealthKit module from `Data`. `scripts/generate` runs it in the package's
/// directory.
@main enum GenerateTables {
  static func main() throws {
    let root = URL(filePath: FileManager.default.currentDirectoryPath)
    for path in try GeneratedSources(dataOf: root).write(to: root) { print(path) }
  }
}
