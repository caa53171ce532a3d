/// The source of a sample: a program, or a device such as a monitor.
package struct SourceRecord: Hashable, Sendable {
  /// The bundle identifier, which identifies the source. The name may change.
  package var bundleIdentifier: String
  package var name: String

  package init(bundleIdentifier: String, name: String) {
    self.bundleIdentifier = bundleIdentifier
    self.name = name
  }
}

/// A version of a source on a version of an operating system.
package struct SourceRevisionRecord: Hashable, Sendable {
  package var source: SourceRecord
  package var version: String?
  package var productType: String?
  /// The version as "major.minor.patch".
  package var operatingSystem: String

  package init(source: SourceRecord, version: String?, productType: String?, operatingSystem: String) {
    self.source = source
    self.version = version
    self.productType = productType
    self.operatingSystem = operatingSystem
  }
}

/// Where a sample comes from: the version of the source that saved it, and the device that measured it.
///
/// It is a class, so that samples share one object, which is looked up once.
package final class Provenance: Sendable {
  package let revision: SourceRevisionRecord
  package let device: DeviceRecord?

  package init(revision: SourceRevisionRecord, device: DeviceRecord?) {
    self.revision = revision
    self.device = device
  }
}

extension Provenance: Hashable {
  package static func == (left: Provenance, right: Provenance) -> Bool {
    left === right || (left.revision == right.revision && left.device == right.device)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(revision)
    hasher.combine(device)
  }
}
