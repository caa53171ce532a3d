/// The origin of a sample: the source revision that recorded it and the device that measured it.
///
/// A class, so that the samples of a batch share one instance, which is looked up once.
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
