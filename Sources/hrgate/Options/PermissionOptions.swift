import ArgumentParser
import HealthKit
import HealthSystem

/// An argument for an object type that needs permission, named as in ``TypeArgument``.
struct ProtectedTypeArgument: CheckedArgument {
  var type: HKObjectType

  init?(argument: String) {
    guard let known = TypeName.objectType(argument) else { return nil }
    type = known
  }

  static func rule(for argument: String) -> String {
    SuggestedType.text(argument, among: HKObjectType.everyKnown)
  }

  var name: String { TypeArgument.shortName(type) }
  var canBeShared: Bool { (type as? HKSampleType)?.isShareable == true && !(type is HKCorrelationType) }
  var canBeRead: Bool { !(type is HKCorrelationType) && !isChosenByObject }
  var isChosenByObject: Bool { type.requiresPerObjectAuthorization() }
}

/// The types and the access of an application.
struct PermissionOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The application's bundle identifier, such as org.example.recorder.", valueName: "bundle-id"))
  var application: String
  @Option(
    name: .customLong("type"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "The types of samples to allow or forbid, separated by spaces, such as heartRate stepCount.",
      valueName: "type"),
    transform: ProtectedTypeArgument.read)
  var types: [ProtectedTypeArgument]
  @Flag(help: "Change only the permission to save (default: both save and read).") var share = false
  @Flag(help: "Change only the permission to read (default: both save and read).") var read = false

  func validate() throws {
    for type in types {
      guard type.canBeShared || type.canBeRead || type.isChosenByObject else {
        throw ValidationError("\(type.name) consists of samples of other types: give the types of its parts.")
      }
      if share && !type.canBeShared { throw ValidationError("Applications cannot save \(type.name).") }
      if read && !type.canBeRead && !type.isChosenByObject {
        throw ValidationError("Reading \(type.name) is decided by the types of its parts: give those.")
      }
    }
  }

  /// - Throws: `ValidationError` for read access to a type that is permitted per object.
  func validateGrant() throws {
    for type in types where type.isChosenByObject && (read || !type.canBeShared) {
      throw ValidationError(
        "Reading \(type.name) is allowed sample by sample, when the application asks: hrgate permissions ask."
      )
    }
  }

  /// Allows or denies reading and saving. If neither option was given, does so for both, as far as each type
  /// supports them.
  func set(_ decision: Bool, in store: SystemStore) async throws {
    let both = share == read
    for type in types {
      try await store.setPermission(
        share: (both || share) && type.canBeShared ? decision : nil,
        read: (both || read) && (type.canBeRead || !decision) ? decision : nil, on: [type.type],
        for: application)
    }
  }
}
