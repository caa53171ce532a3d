import HealthStorage

/// How much of samples that can be large comes with them.
struct SampleDetail: Sendable {
  var documents: DocumentDetail = .none
  var heartbeats: HeartbeatDetail = .count
}
