extension Schema {
  /// The migration that identifies gateways by the identity of their health store instead of their name,
  /// because two gateways may have the same name. Existing rows have a NULL identity, and are found by name
  /// until the gateway connects again.
  static let gateways = """
    ALTER TABLE hrgate.gateway ADD COLUMN identity text UNIQUE;
    ALTER TABLE hrgate.gateway DROP CONSTRAINT gateway_name_key;
    CREATE UNIQUE INDEX gateway_name ON hrgate.gateway (name) WHERE identity IS NULL;

    \(views.map(\.definition).joined(separator: ";\n\n"))
    """

  /// The migration that adds the table of markers: for each destination that sends to this database, the
  /// number of the last page of changes that was sent.
  static let markers = """
    CREATE TABLE hrgate.marker (
      id uuid PRIMARY KEY,
      sequence bigint NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT now());
    """

  /// The views for readers. Missing views are created again.
  static let views: [(name: String, definition: String)] = [
    (
      "samples",
      """
      CREATE OR REPLACE VIEW hrgate.samples AS
        SELECT s.uuid, o.type, s."start", coalesce(s."end", s."start") AS "end", s.value, o.unit,
          o.source, o.source_name, o.source_version, o.device, o.device_details,
          coalesce(s.metadata, o.metadata) AS metadata, o.person, g.name AS gateway, g.identity AS gateway_id
        FROM hrgate.sample s
        JOIN hrgate.origin o ON o.id = s.origin
        JOIN hrgate.gateway g ON g.id = s.gateway
      """
    ),
    (
      "beats",
      """
      CREATE OR REPLACE VIEW hrgate.beats AS
        SELECT s.uuid AS series, beat.number, s."start" + make_interval(secs => beat.seconds) AS "time",
          beat.seconds, beat.preceded_by_gap, s."start" AS series_start, o.source, o.source_name, o.device,
          o.person, g.name AS gateway, g.identity AS gateway_id
        FROM hrgate.sample s
        JOIN hrgate.origin o ON o.id = s.origin
        JOIN hrgate.gateway g ON g.id = s.gateway
        CROSS JOIN LATERAL unnest((s.series).offsets, (s.series).gaps)
          WITH ORDINALITY AS beat (seconds, preceded_by_gap, number)
        WHERE o.type = 'HKDataTypeIdentifierHeartbeatSeries'
      """
    ),
    (
      "quantities",
      """
      CREATE OR REPLACE VIEW hrgate.quantities AS
        SELECT s.uuid, o.type, part.number, s."start" + make_interval(secs => part.seconds) AS "start",
          s."start" + make_interval(secs => part.until) AS "end", part.value, o.unit,
          s."start" AS series_start, o.source, o.source_name, o.device, o.person, g.name AS gateway,
          g.identity AS gateway_id
        FROM hrgate.sample s
        JOIN hrgate.origin o ON o.id = s.origin
        JOIN hrgate.gateway g ON g.id = s.gateway
        CROSS JOIN LATERAL unnest((s.series).offsets, (s.series).ends, (s.series)."values")
          WITH ORDINALITY AS part (seconds, until, value, number)
        WHERE (s.series)."values" IS NOT NULL
      """
    ),
  ]
}
