import Foundation
import GRDB

extension Interpretation {
  /// The names of the SQL functions.
  enum FunctionName {
    /// The function that evaluates a condition on metadata. Arguments: encoded metadata, condition.
    static let metadata = "hrgate_metadata_satisfy"
    /// The function that evaluates a condition on an archive. Arguments: archive, condition.
    static let archive = "hrgate_archive_satisfies"
  }

  /// This type's functions as SQL functions. They return false for damaged values.
  var functions: [DatabaseFunction] {
    let (metadataSatisfy, archiveSatisfies) = (metadataSatisfy, archiveSatisfies)
    return [
      DatabaseFunction(FunctionName.metadata, argumentCount: 2, pure: true) { arguments in
        guard let bytes = Data.fromDatabaseValue(arguments[0]), let condition = Self.condition(arguments[1]),
          let values = MetadataCodec.decode(Array(bytes))
        else { return false }
        return metadataSatisfy(values, condition)
      },
      // Not `pure`, because the result may depend on the current time.
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
