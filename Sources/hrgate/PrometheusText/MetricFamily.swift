/// Metrics of one name, as Prometheus' text format has them
/// (prometheus.io/docs/instrumenting/exposition_formats).
public struct MetricFamily: Hashable, Sendable {
  /// What becomes of its values.
  public enum Kind: String, Hashable, Sendable {
    /// Only ever grows, until the program starts anew. Its name ends with `_total`.
    case counter
    /// Goes up and down.
    case gauge
  }

  /// One value of the family.
  public struct Sample: Hashable, Sendable {
    /// What tells it from the others, in this order.
    public var labels: [Label]
    public var value: Double

    public init(_ labels: [Label], _ value: Double) {
      self.labels = labels
      self.value = value
    }

    /// The only one of its family.
    public init(_ value: Double) { self.init([], value) }
  }

  public struct Label: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var name: String
  public var kind: Kind
  /// What it says, in a sentence.
  public var help: String
  public var samples: [Sample]

  public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.samples = samples
  }
}
