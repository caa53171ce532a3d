public import Foundation
import HealthStorage

/// Something that gathers the values of a series before it is saved.
// @unchecked: not final, but its subclasses, all in this module, hold only `let`s, Sendable values and a
// Mutex.
public class HKSeriesBuilder: NSObject, @unchecked Sendable {
  override init() {}

  /// Gives the series up. The builder cannot be used afterwards.
  public func discard() {}

  /// Calls a completion handler with what has come of a call, on a background queue.
  func report(
    _ result: Result<Void, HKError>, to completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      switch result {
      case .success: completion(true, nil)
      case .failure(let error): completion(false, error)
      }
    }
  }
}

extension MetadataValue {
  /// The values of a dictionary that is to be added to others: each is checked on its own.
  static func values(_ dictionary: [String: Any]) throws(HKError) -> [String: MetadataValue] {
    do {
      return try ObjectMetadata.values(dictionary)
    } catch {
      throw HKError(invalid: error)
    }
  }
}
