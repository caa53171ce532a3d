import Foundation

/// All files that are generated from the tables in `Data`.
struct GeneratedSources {
  /// The file contents by path, relative to the package.
  let files: [String: String]

  private static let folder = "Sources/HealthKit/Tables/"

  /// Descriptions of the typed string structs.
  private static let about = [
    "HKCharacteristicTypeIdentifier": "The name of a characteristic type.",
    "HKClinicalTypeIdentifier": "The name of a clinical type.",
    "HKCorrelationTypeIdentifier": "The name of a correlation type.",
    "HKDocumentTypeIdentifier": "The name of a document type.",
    "HKScoredAssessmentTypeIdentifier": "The name of a scored assessment's type.",
    "HKFHIRResourceType": "A type of FHIR resource.",
    "HKFHIRRelease": "A release of FHIR.",
  ]

  /// - Parameter root: the directory of the package.
  init(dataOf root: URL) throws {
    func table(_ name: String) throws -> Table {
      let url = root.appending(path: "Data/\(name)")
      return try Table(parsing: String(contentsOf: url, encoding: .utf8), name: name)
    }
    let quantityTypes = try table("quantity-types.tsv")
    let categoryTypes = try table("category-types.tsv")
    let enumerations = try table("enumerations.tsv")
    let metadataKeys = try table("metadata-keys.tsv")
    let sources: [String: SourceText] = [
      "HKQuantityTypeIdentifier": Identifiers.source(
        type: "HKQuantityTypeIdentifier", about: "The name of a quantity type. The identifiers of SDK 26.",
        table: "quantity-types.tsv", rows: quantityTypes.rows, groups: true),
      "HKCategoryTypeIdentifier": Identifiers.source(
        type: "HKCategoryTypeIdentifier", about: "The name of a category type. The identifiers of SDK 26.",
        table: "category-types.tsv", rows: categoryTypes.rows, groups: false),
      "QuantityTypeTraits+rows": TypeTables.quantityTypes(quantityTypes),
      "CategoryTypeTraits+rows": TypeTables.categoryTypes(categoryTypes),
      "EnumerationValues+table": TypeTables.enumerationValues(enumerations),
      "EnumerationValues+cases": TypeTables.enumerationNames(enumerations),
      "HKMetadataKey": Constants.metadataKeys(metadataKeys),
      "MetadataKind+ofKey": Constants.metadataKinds(metadataKeys),
      "TypeCodes+identifiers": TypeTables.codes(try table("type-codes.tsv")),
      "StringConstants": Constants.strings(try table("string-constants.tsv")),
      "Enumerations": Enumerations.source(enumerations),
      "Identifiers": Identifiers.source(try table("identifiers.tsv"), named: "identifiers.tsv") {
        Self.about[$0] ?? "A typed string."
      },
    ]
    files = Dictionary(uniqueKeysWithValues: sources.map { (Self.folder + $0 + ".swift", $1.text) })
  }

  /// Writes changed files, and removes generated files that no table needs anymore.
  /// - Returns: the paths that changed.
  func write(to root: URL) throws -> [String] {
    var changed: [String] = []
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      let url = root.appending(path: path)
      guard (try? String(contentsOf: url, encoding: .utf8)) != text else { continue }
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
      changed.append(path)
    }
    for path in try Self.existing(in: root) where files[path] == nil {
      try FileManager.default.removeItem(at: root.appending(path: path))
      changed.append(path)
    }
    return changed
  }

  /// Returns the Swift files that exist in the generated folder.
  static func existing(in root: URL) throws -> [String] {
    let folder = root.appending(path: Self.folder).path
    return try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".swift") }.map { Self.folder + $0 }
  }
}
