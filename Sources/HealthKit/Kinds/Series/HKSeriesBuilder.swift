public import Foundation
import HealthStorage

/// A builder that collects the values of a series before it is saved.
// @unchecked: not final, but all subclasses are in this module, and all of their state is `let`, Sendable or
// in a Mutex.
public class HKSeriesBuilder: NSObject, @unchecked Sendable {
  override init() {}

  /// Discards the series. The builder cannot be used afterwards.
  public func discard() {}

  /// Calls a completion handler with a result on a background queue.
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
  /// Returns the values of a metadata dictionary after checking them, so that they can be added to other
  /// metadata.
  static func values(_ dictionary: [String: Any]) throws(HKError) -> [String: MetadataValue] {
    do {
      return try ObjectMetadata.values(dictionary)
    } catch {
      throw HKError(invalid: error)
    }
  }
}

/// The state of a series builder, which contains the collected values until the series is finished or
/// discarded.
///
/// While the series is being saved, adding a value throws, so a value is either saved or rejected, and never
/// silently lost.
struct SeriesGathering<Content: Sendable>: Sendable {
  private enum Phase {
    case gathering, finishing, over
  }

  private var phase = Phase.gathering
  private var content: Content

  init(_ content: Content) {
    self.content = content
  }

  /// Changes the collected values.
  /// - Throws: `HKError` errorInvalidArgument if the series is being saved, or was finished or discarded;
  ///   otherwise the error of `body`.
  mutating func change(_ body: (inout Content) throws(HKError) -> Void) throws(HKError) {
    try requireGathering()
    try body(&content)
  }

  /// Begins saving. The caller must then call `end()` or `finishFailed()`.
  /// - Returns: The values to save.
  mutating func beginFinishing() throws(HKError) -> Content {
    try requireGathering()
    phase = .finishing
    return content
  }

  /// Resumes collecting values after saving failed, unless the series was discarded in the meantime.
  mutating func finishFailed() {
    if phase == .finishing { phase = .gathering }
  }

  mutating func end() {
    phase = .over
  }

  var isOver: Bool { phase == .over }

  private func requireGathering() throws(HKError) {
    guard phase == .gathering else {
      throw HKError(
        .errorInvalidArgument, reason: "the series builder was finished, discarded or rejected a value")
    }
  }
}
