public import Foundation
public import HealthKit

/// An object of an external store, made of an object of HealthKit.
public protocol HDSExternalObjectProtocol {
  /// By which the two are matched.
  var uuid: UUID { get set }

  /// What the user is asked for: of a correlation the types of its parts.
  static func authorizationTypes() -> [HKObjectType]?

  /// What is queried.
  static func healthKitObjectType() -> HKObjectType?

  /// A new external object; nil for an object that is not for the external store.
  static func externalObject(object: HKObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?

  /// What stands for an object that was deleted; nil if there can be none in the external store.
  static func externalObject(deletedObject: HKDeletedObject, converter: (any HDSConverterProtocol)?)
    -> (any HDSExternalObjectProtocol)?

  /// Takes over what the object says now.
  func update(with object: HKObject)
}
