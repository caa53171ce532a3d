import Foundation
import GRDB

extension Interpretation {
  /// Names of SQL functions.
  enum FunctionName {
    /// (encoded metadata, condition)
    static let metadata = "hrgate_metadata_satisfy"
    /// (archive, condition)
    static let archive = "hrgate_archive_satisfies"
  }

  /// The interpretation as SQL functions. Damaged values satisfy no condition.
  var functions: [DatabaseFunction] {
    let (metadataSatisfy, archiveSatisfies) = (metadataSatisfy, archiveSatisfies)
    return [
      DatabaseFunction(FunctionName.metadata, argumentCount: 2, pure: true) { arguments in
        guard let bytes = Data.fromDatabaseValue(arguments[0]), let condition = Self.condition(arguments[1]),
          let values = MetadataCodec.decode(Array(bytes))
        else { return false }
        return metadataSatisfy(values, condition)
      },
      // Not pure: a condition may depend on the current time.
      DatabaseFunction(FunctionName.archive, argumentCount: 2) { arguments in
        guard let archive = Data.fromDatabaseValue(arguments[0]), let condition = Self.condition(arguments[1])
        else { return false }
        return archiveSatisfies(archive, condition)
      },
    ]
  }

  private static func condition(_ value: DatabaseValue) -> EncodedCondition? {
    Data.fromDatabaseValue(value).map(EncodedCondition.init)
  }
}
