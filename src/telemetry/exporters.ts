import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import { type MetricReader, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

/** What sends spans and metrics by OTLP over HTTP. The libraries read the other variables of OTLP, such as its headers. */
export interface Exporters {
  tracers: TracerProvider
  reader: MetricReader
}

/** Creates what sends to an OTLP receiver: spans in batches, metrics every minute, and the rest when they are shut down. */
export const createExporters = (endpoint: string, resource: Resource): Exporters => ({
  tracers: new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) })],
  }),
  reader: new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }) }),
})
