import Foundation

/// Writes the coverage document to standard output: `healthkit-coverage <package> <folder of symbol graphs>`.
/// `scripts/coverage` calls it.
@main
enum CoverageCommand {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst().map { URL(filePath: $0) }
    do {
      guard arguments.count == 2 else {
        throw CoverageError("usage: healthkit-coverage <package> <folder of symbol graphs>")
      }
      let graphs = try SymbolGraph.all(of: "HealthKit", in: arguments[1])
      let coverage = try Coverage(Catalogue(package: arguments[0]), PublicSurface(graphs))
      try FileHandle.standardOutput.write(contentsOf: Data(CoverageDocument(coverage: coverage).text.utf8))
    } catch {
      FileHandle.standardError.write(Data("healthkit-coverage: \(error)\n".utf8))
      exit(1)
    }
  }
}
