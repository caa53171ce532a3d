public import HealthKit

/// Brings an external store up to date with some changes.
public protocol HDSObjectSynchronizerProtocol {
  var converter: (any HDSConverterProtocol)? { get set }
  var externalObjectType: any HDSExternalObjectProtocol.Type { get }
  /// What tells its external store from others that the same class of synchronisers takes objects to; nil for
  /// the only one. (Not in the original library.)
  var storeIdentity: String? { get }

  /// - Parameters:
  ///   - objects: to be updated, or added where they are not there yet.
  ///   - completion: called once. After an error the same changes come again.
  @preconcurrency
  func synchronize(
    objects: [HKObject]?, deletedObjects: [HKDeletedObject]?,
    completion: @escaping @Sendable ((any Error)?) -> Void)
}

extension HDSObjectSynchronizerProtocol {
  public var storeIdentity: String? { nil }
}
